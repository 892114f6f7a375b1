import type { MailboxId, WebhookId, WorkspaceId } from '../domain/ids.ts';

/** The wait of a client, which may have filters that the server can't evaluate. */
export interface WaitNote {
  /** The name of the client's call. */
  readonly call: string;
  /** The time from which messages count, as an RFC 3339 time. */
  readonly since: string;
  /** All filters, as the client writes them. */
  readonly filters: Readonly<Record<string, string>>;
  /** The filters that the server can evaluate. */
  readonly asked: {
    readonly subject?: string;
    readonly from?: string;
    readonly to?: string;
    readonly body?: string;
  };
  /** The names of the filters that only the client can evaluate. */
  readonly undecided: readonly string[];
  /** The messages that the client refused, with its reasons. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

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
  /** What the client tells of the wait that the await is part of. Null if it tells nothing. */
  readonly note: WaitNote | null;
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
