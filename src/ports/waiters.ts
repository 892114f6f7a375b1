import type { MailboxId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';

/** Those who wait for messages, woken by the store's commits. Waiting costs nothing until then. */
export interface Waiters {
  /**
   * From now on `arrived` gets each new message of the mailbox, in order, after it is durable and visible.
   * It gets null when the mailbox is gone. The return value ends it.
   */
  watch(mailboxId: MailboxId, arrived: (message: Message | null) => void): () => void;
  /** How many wait. */
  readonly size: number;
  close(): void;
}
