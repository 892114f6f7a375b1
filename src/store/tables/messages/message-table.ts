import type { Message } from '../../../domain/message.ts';
import type { SortedRows } from '../sorted-rows.ts';

/** The messages of a state, as its readers see them. Counts and sums are kept up to date, so no scan is needed. */
export interface MessageTable {
  readonly size: number;
  /** The bytes of mail of all workspaces. */
  readonly bytes: number;
  /** All messages in the order of their ids. */
  readonly inOrder: SortedRows<Message>;
  get(id: string): Message | undefined;
  /** Returns the messages of a mailbox in the order of their ids. */
  of(mailboxId: string): SortedRows<Message>;
  /**
   * Yields the messages of a mailbox, or all, the newest first. With `before`, it yields only ids below it. All
   * messages may be one object that changes with each step, so the caller must not keep it.
   */
  glimpse(mailboxId?: string, before?: string): Iterable<Message>;
  /** Returns the bytes of mail of a workspace. */
  bytesOf(workspaceId: string): number;
  /** Yields every message as a new object. */
  values(): Iterable<Message>;
}
