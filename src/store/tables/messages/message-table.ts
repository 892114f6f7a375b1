import type { Message } from '../../../domain/message.ts';
import type { SortedRows } from '../sorted-rows.ts';

/** The messages of a state, as its readers see them. No count or sum needs a scan. */
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
   * Yields the messages of a mailbox, or all, the newest first. `before` excludes ids from it on. Each message may be a
   * view that moves on: read it before the next one and do not keep it.
   */
  glimpse(mailboxId?: string, before?: string): Iterable<Message>;
  /** Returns the bytes of mail of a workspace. */
  bytesOf(workspaceId: string): number;
  /** Yields every message as a new object. */
  values(): Iterable<Message>;
}
