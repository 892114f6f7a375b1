import type { MailboxId, WebhookId, WorkspaceId } from '../domain/ids.ts';

/** An await that is being held, as it was asked for. */
export interface HeldWait {
  /** What it is for. */
  readonly kind: 'message' | 'request';
  readonly workspaceId: WorkspaceId;
  /** Where a message is to come; null of a request. */
  readonly mailboxId: MailboxId | null;
  /** The interceptor a request is to come to; null of a message. */
  readonly webhookId: WebhookId | null;
  /** By name, as given; those that are not given are left out. */
  readonly filters: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly heldSince: number;
  /** When its time is over, milliseconds since 1970. */
  readonly until: number;
}

/** The awaits held now, for whoever asks what a test waits for. */
export interface Waits {
  /** The return value ends it. */
  hold(wait: HeldWait): () => void;
  /** Longest held first. */
  list(): readonly HeldWait[];
}
