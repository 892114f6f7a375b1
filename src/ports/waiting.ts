import type { KeyId, MailboxId, WebhookId, WorkspaceId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';

/**
 * Signals that nobody waits for a result any more. It is lighter than an AbortSignal, because ten thousand may exist at
 * once.
 */
export interface CancelSignal {
  readonly isCancelled: boolean;
  /** Calls `act` once when the signal comes, or at once if it has come. The returned function takes that back. */
  onCancel(act: () => void): () => void;
}

/** A mutex for each key: work under one key runs one at a time, in the order in which it was asked for. */
export interface KeyedMutex {
  /** Runs `work` once all earlier work under the same key has ended, whether it succeeded or failed. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** The awaits for messages. A commit of the store wakes them; until then an await costs no processor time. */
export interface Waiters {
  /**
   * Watches a mailbox. Once it resolves, `arrived` gets each new message after it is durable and visible: in order, and
   * the messages of one commit together. No message is missed: a read after it has resolved sees the message, or
   * `arrived` gets it, or both. `arrived` gets null when the mailbox is deleted. The returned function ends the watch.
   */
  watch(mailboxId: MailboxId, arrived: (messages: readonly Message[] | null) => void): Promise<() => void>;
  /** Calls `act` when the key is revoked or deleted. The returned function cancels the call. */
  onRevoked(keyId: KeyId, act: () => void): () => void;
  /** The number of watchers. */
  readonly size: number;
  close(): void;
}

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
  /** The webhook that awaits a request. Null for a message. */
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

/** The callers that wait for addresses, in the order in which they came. They are those of this server. */
export interface ClaimTurns {
  /** Puts a caller behind all that wait now. `keys` are the forms of its claims that are compared. */
  join(keys: readonly string[]): ClaimTurn;
}

/** The place of one caller. */
interface ClaimTurn {
  /** Tells whether nobody who came earlier waits for one of the same addresses. */
  isFirst(): boolean;
  /** Calls `act` when another caller leaves. The returned function ends that. */
  onChange(act: () => void): () => void;
  leave(): void;
}
