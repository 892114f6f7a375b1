import type { KeyId, MailboxId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';

/** Those who wait for messages, woken by the store's commits. Waiting costs nothing until then. */
export interface Waiters {
  /**
   * Once it resolves, `arrived` gets each new message of the mailbox, in order, after it is durable and visible: those that
   * came together at once, oldest first. A message is either seen by a read made after it resolved, or handed to `arrived`,
   * or both. `arrived` gets null when the mailbox is gone. The value it resolves with ends it.
   */
  watch(mailboxId: MailboxId, arrived: (messages: readonly Message[] | null) => void): Promise<() => void>;
  /** Calls `act` once the key is revoked or gone. The return value calls it off. */
  onRevoked(keyId: KeyId, act: () => void): () => void;
  /** How many wait. */
  readonly size: number;
  close(): void;
}
