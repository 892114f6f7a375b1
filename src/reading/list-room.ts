import type { MailboxId } from '../domain/ids.ts';
import { getOrCreate } from '../text/maps.ts';
import type { MessageBlock } from './message-block.ts';

/** The messages that the sessions of a listener list at a time, each counted once. They take some 200 MB. */
const MOST_LISTED = 5_000_000;

/** A mailbox that can't be listed now, because the sessions list too many messages. */
export class ListsAreFull extends Error {
  override readonly name = 'ListsAreFull';

  constructor() {
    super('other clients list too many messages: try again later');
  }
}

/**
 * The room for the lists of all sessions of a listener. Sessions that know the same of a mailbox hold the same blocks, so
 * that 500 of them take the room of one.
 */
export class ListRoom {
  #left: number;
  /** The blocks of each mailbox as the session knows them that learned news last. */
  readonly #latest = new Map<MailboxId, Map<number, MessageBlock>>();

  constructor(most = MOST_LISTED) {
    this.#left = most;
  }

  /** The messages that still fit. */
  get left(): number {
    return this.#left;
  }

  /** Tells whether sessions have learned so much that differs that the room is too small. */
  get isOverdrawn(): boolean {
    return this.#left < 0;
  }

  /** Takes room for a new block, or gives back what it no longer needs. */
  charge(block: MessageBlock): void {
    this.#left += block.cost - block.rowsTaken;
    block.cost = block.rowsTaken;
  }

  /** Takes the block with this key that another list has, if it is what is wanted. */
  known(mailboxId: MailboxId, key: number, isWanted: (block: MessageBlock) => boolean): MessageBlock | null {
    const latest = this.#latest.get(mailboxId)?.get(key);
    if (latest === undefined || !isWanted(latest)) return null;
    latest.holders++;
    return latest;
  }

  /** Takes an equal block that another list has instead of this one, or offers this one to others. */
  shared(mailboxId: MailboxId, block: MessageBlock): MessageBlock {
    const blocks = getOrCreate(this.#latest, mailboxId, () => new Map<number, MessageBlock>());
    const latest = blocks.get(block.key);
    if (latest === block) return block;
    if (latest?.equals(block)) {
      latest.holders++;
      this.leave(mailboxId, block);
      return latest;
    }
    blocks.set(block.key, block);
    return block;
  }

  /** Lets go of a block. With its last holder it is gone. */
  leave(mailboxId: MailboxId, block: MessageBlock): void {
    if (--block.holders > 0) return;
    this.#left += block.cost;
    block.cost = 0;
    const blocks = this.#latest.get(mailboxId);
    if (blocks?.get(block.key) !== block) return;
    blocks.delete(block.key);
    if (blocks.size === 0) this.#latest.delete(mailboxId);
  }
}
