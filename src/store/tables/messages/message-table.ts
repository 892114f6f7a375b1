import type { Message } from '../../../domain/message.ts';
import type { SortedRows } from '../sorted-rows.ts';

/** The messages of a state, as its readers see them. Nothing in it is counted or summed by scanning. */
export interface MessageTable {
  readonly size: number;
  /** Bytes of mail of all workspaces. */
  readonly bytes: number;
  /** Every message, in the order of ids. */
  readonly inOrder: SortedRows<Message>;
  get(id: string): Message | undefined;
  /** The messages of a mailbox, in the order of ids. */
  of(mailboxId: string): SortedRows<Message>;
  /**
   * Of a mailbox, or of all, newest first; only those below `before`. Each is to be read before the next is asked for, and
   * not to be kept: it may be a view that moves on.
   */
  glimpse(mailboxId?: string, before?: string): Iterable<Message>;
  /** Bytes of mail of a workspace. */
  bytesOf(workspaceId: string): number;
  /** Every message, made for the one who asks alone. */
  values(): Iterable<Message>;
}
