import type { MailboxId, WebhookId, WorkspaceId } from '../domain/ids.ts';

/** An await that the server holds open, with the client's conditions. */
export interface HeldWait {
  /** The kind of object it waits for. */
  readonly kind: 'message' | 'request';
  readonly workspaceId: WorkspaceId;
  /** The mailbox that awaits a message. Null for a request. */
  readonly mailboxId: MailboxId | null;
  /** The interceptor that awaits a request. Null for a message. */
  readonly webhookId: WebhookId | null;
  /** The given filters by name. */
  readonly filters: Readonly<Record<string, string>>;
  /** The start of the await, in milliseconds since 1970. */
  readonly heldSince: number;
  /** The end of its timeout, in milliseconds since 1970. */
  readonly until: number;
}

/** The awaits held open now. They tell a developer what a test is waiting for. */
export interface HeldWaits {
  /** Registers an await. The returned function removes it. */
  hold(wait: HeldWait): () => void;
  /** Lists the awaits, the longest held first. */
  list(): readonly HeldWait[];
}
