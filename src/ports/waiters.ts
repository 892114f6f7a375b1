import type { KeyId, MailboxId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';

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
