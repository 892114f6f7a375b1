import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId } from '../domain/ids.ts';
import type { Marks } from '../domain/marks.ts';
import { MESSAGE_MARK, type PackedMessages, type Reader } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { firstIndex } from '../text/first-index.ts';
import { type ListRoom, ListsAreFull } from './list-room.ts';
import { blockAt, blockOf, type ListedMessage, MessageBlock } from './message-block.ts';

/** The messages of one step. A step takes some milliseconds. */
const ROWS = 10_000;

/**
 * The messages of a mailbox as a session knows them, the oldest first. A session may list a million of them, and many
 * sessions may be open, so lists that know the same hold the same blocks. A block is copied before it is changed.
 */
export class MailboxListing {
  readonly #mailboxId: MailboxId;
  readonly #room: ListRoom;
  #blocks: MessageBlock[] = [];
  /** The index of the first message of each block. */
  #starts: number[] = [];
  #length = 0;
  #unread = 0;
  /** The blocks that have changed since they were last shared. */
  readonly #changed = new Set<MessageBlock>();
  /** The place of the block that was asked for last: most readers go from message to message. */
  #lastPlace = 0;

  private constructor(mailboxId: MailboxId, room: ListRoom) {
    this.#mailboxId = mailboxId;
    this.#room = room;
  }

  /** Lists the messages of a mailbox. It lets others run in between. Throws {@link ListsAreFull}. */
  static async read(
    ctx: Context,
    mailboxId: MailboxId,
    cancelSignal: CancelSignal,
    room: ListRoom,
  ): Promise<MailboxListing> {
    const list = new MailboxListing(mailboxId, room);
    try {
      await list.#readAll(ctx, cancelSignal);
      return list;
    } catch (error) {
      list.end();
      throw error;
    }
  }

  async #readAll(ctx: Context, cancelSignal: CancelSignal): Promise<void> {
    const newestFirst = this.#blocks;
    for await (const step of stepsOf(ctx, this.#mailboxId, cancelSignal)) this.#addStep(newestFirst, step);
    this.#share(newestFirst, newestFirst.length - 1);
    this.#blocks = newestFirst.reverse();
    this.#countOff();
  }

  /** Adds the blocks of a step. Its oldest one may go on in the next step. */
  #addStep(newestFirst: MessageBlock[], step: PackedMessages): void {
    for (let end = step.marks.length; end > 0; ) {
      const key = blockAt(step, end - 1);
      let from = end - 1;
      while (from > 0 && blockAt(step, from - 1) === key) from--;
      for (let at = from; at < end; at++) if (isUnread(step.marks[at])) this.#unread++;
      const newer = newestFirst.at(-1);
      if (newer?.key === key) {
        const block = this.#built(key, step, from, end);
        block.addAll(newer);
        this.#room.leave(this.#mailboxId, newer);
        newestFirst[newestFirst.length - 1] = block;
        this.#room.charge(block);
      } else {
        this.#share(newestFirst, newestFirst.length - 1);
        // Most blocks are there already, and need not be built again.
        const isWhole = from > 0 || step.next === null;
        const known = isWhole ? this.#room.known(this.#mailboxId, key, (one) => one.isOf(step, from, end)) : null;
        newestFirst.push(known ?? this.#built(key, step, from, end));
      }
      if (this.#room.isOverdrawn) throw new ListsAreFull();
      end = from;
    }
  }

  #built(key: number, step: PackedMessages, from: number, end: number): MessageBlock {
    const block = new MessageBlock(key, end - from);
    block.addPacked(step, from, end);
    this.#room.charge(block);
    return block;
  }

  #share(blocks: MessageBlock[], at: number): void {
    const block = blocks[at];
    if (block !== undefined) blocks[at] = this.#room.shared(this.#mailboxId, block);
  }

  /** Ends the list. Its room is for others. */
  end(): void {
    for (const block of this.#blocks) this.#room.leave(this.#mailboxId, block);
    this.#blocks = [];
    this.#starts = [];
    this.#length = 0;
    this.#changed.clear();
  }

  get length(): number {
    return this.#length;
  }

  get unread(): number {
    return this.#unread;
  }

  /** The bytes of all messages. */
  sumBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.sumBytes(), 0);
  }

  id(index: number): MessageId {
    return this.#at(index, (block, at) => block.id(at));
  }

  /** Returns the number at the end of an id. */
  number(index: number): number {
    return this.#at(index, (block, at) => block.number(at));
  }

  sizeBytes(index: number): number {
    return this.#at(index, (block, at) => block.sizeBytes(at));
  }

  receivedAt(index: number): number {
    return this.#at(index, (block, at) => block.receivedAt(at));
  }

  isRead(index: number): boolean {
    return !isUnread(this.#at(index, (block, at) => block.marks(at)));
  }

  isStarred(index: number): boolean {
    return (this.#at(index, (block, at) => block.marks(at)) & MESSAGE_MARK.starred) !== 0;
  }

  tags(index: number): readonly string[] {
    return this.#at(index, (block, at) => block.tags(at));
  }

  message(index: number): ListedMessage {
    return this.#at(index, (block, at) => block.message(at));
  }

  /** The tags of all messages, each list once for each message that has it. */
  *allTags(): Iterable<readonly string[]> {
    for (const block of this.#blocks) yield* block.allTags();
  }

  /** Returns the index of a message, or -1. */
  indexOf(id: MessageId): number {
    const index = firstIndex(this.#length, (at) => this.id(at) >= id);
    return index < this.#length && this.id(index) === id ? index : -1;
  }

  setMarks(index: number, marks: Marks): void {
    this.#unread += Number(!marks.isRead) - Number(!this.isRead(index));
    const place = this.#placeOf(index);
    const block = this.#ownBlock(place);
    block.setMarks(index - (this.#starts[place] ?? 0), marks);
    this.#room.charge(block);
  }

  /** Adds a message, which is newer than all others. */
  add(message: ListedMessage): void {
    const key = blockOf(message.id);
    const last = this.#blocks.length - 1;
    let block: MessageBlock;
    if (this.#blocks[last]?.key === key) block = this.#ownBlock(last);
    else {
      block = new MessageBlock(key);
      this.#starts.push(this.#length);
      this.#blocks.push(block);
      this.#changed.add(block);
    }
    block.add(message);
    this.#room.charge(block);
    this.#length++;
    if (!message.isRead) this.#unread++;
  }

  /** Adds messages between the others. They are ascending, and none of them is listed. */
  insertAll(messages: readonly ListedMessage[]): void {
    const blocks = new Map(this.#blocks.map((block) => [block.key, block]));
    for (let from = 0; from < messages.length; ) {
      const key = keyOf(messages, from);
      let end = from + 1;
      while (end < messages.length && keyOf(messages, end) === key) end++;
      const old = blocks.get(key);
      const block = new MessageBlock(key, end - from + (old?.length ?? 0));
      let at = 0;
      for (const message of messages.slice(from, end)) {
        while (old !== undefined && at < old.length && old.id(at) < message.id) block.add(old.message(at++));
        block.add(message);
        if (!message.isRead) this.#unread++;
      }
      while (old !== undefined && at < old.length) block.add(old.message(at++));
      this.#room.charge(block);
      if (old !== undefined) {
        this.#changed.delete(old);
        this.#room.leave(this.#mailboxId, old);
      }
      this.#changed.add(block);
      blocks.set(key, block);
      from = end;
    }
    this.#blocks = [...blocks.values()].sort((one, other) => one.key - other.key);
    this.#countOff();
  }

  /** Removes the messages at these indexes, which are ascending. */
  removeAll(indexes: readonly number[]): void {
    // From the last to the first, so that the indexes of the others stay.
    for (let end = indexes.length; end > 0; ) {
      const place = this.#placeOf(indexes[end - 1] ?? 0);
      const start = this.#starts[place] ?? 0;
      let from = end - 1;
      while (from > 0 && (indexes[from - 1] ?? 0) >= start) from--;
      const doomed = indexes.slice(from, end);
      for (const index of doomed) if (!this.isRead(index)) this.#unread--;
      const block = this.#ownBlock(place);
      block.removeAll(doomed.map((index) => index - start));
      this.#room.charge(block);
      end = from;
    }
    this.#blocks = this.#blocks.filter((block) => {
      if (block.length > 0) return true;
      this.#changed.delete(block);
      this.#room.leave(this.#mailboxId, block);
      return false;
    });
    this.#countOff();
  }

  /**
   * Shares what has changed with the lists that know the same, so that it takes room once. Returns false if the lists
   * have become so different that there is no room for them.
   */
  share(): boolean {
    // What changes most is the newest.
    for (let place = this.#blocks.length - 1; place >= 0 && this.#changed.size > 0; place--) {
      const block = this.#blocks[place];
      if (block !== undefined && this.#changed.delete(block)) this.#share(this.#blocks, place);
    }
    return !this.#room.isOverdrawn;
  }

  /** Returns a block that no other list has, and that may be changed. */
  #ownBlock(place: number): MessageBlock {
    const block = this.#blocks[place] as MessageBlock; // callers name a place that is there
    if (block.holders === 1) {
      this.#changed.add(block);
      return block;
    }
    const own = block.copy();
    this.#room.charge(own);
    this.#room.leave(this.#mailboxId, block);
    this.#changed.delete(block);
    this.#blocks[place] = own;
    this.#changed.add(own);
    return own;
  }

  #countOff(): void {
    this.#starts = [];
    this.#length = 0;
    for (const { length } of this.#blocks) {
      this.#starts.push(this.#length);
      this.#length += length;
    }
  }

  #at<T>(index: number, read: (block: MessageBlock, at: number) => T): T {
    const place = this.#placeOf(index);
    return read(this.#blocks[place] as MessageBlock, index - (this.#starts[place] ?? 0)); // callers name an index that is there
  }

  /** Returns the place of the block that has a message. */
  #placeOf(index: number): number {
    const starts = this.#starts;
    const isIn = (place: number) =>
      index >= (starts[place] ?? this.#length) && index < (starts[place + 1] ?? this.#length);
    if (!isIn(this.#lastPlace))
      this.#lastPlace = Math.max(0, firstIndex(starts.length, (place) => (starts[place] ?? 0) > index) - 1);
    return this.#lastPlace;
  }
}

/** Reads the messages of a mailbox, the newest first, and lets others run in between. */
async function* stepsOf(
  ctx: Context,
  mailboxId: MailboxId,
  cancelSignal: CancelSignal,
): AsyncGenerator<PackedMessages> {
  for (let before: MessageId | undefined; !cancelSignal.isCancelled; ) {
    const now = momentNow(ctx.clock);
    const step = await ctx.store.read.messages.packed({ mailboxId, before, rows: ROWS, now });
    yield step;
    if (step.next === null) return;
    before = step.next;
    await setImmediate();
  }
}

function keyOf(messages: readonly ListedMessage[], at: number): number {
  return blockOf((messages[at] as ListedMessage).id); // callers name an index that is there
}

function isUnread(mark: number | undefined): boolean {
  return mark !== undefined && (mark & MESSAGE_MARK.read) === 0;
}

/** Counts the emails of a mailbox from its counters, and those of them that nobody has read. Null beside text messages. */
export async function countFromCounters(
  { clock }: Pick<Context, 'clock'>,
  mailboxId: MailboxId,
  { messages }: Reader,
): Promise<{ readonly all: number; readonly unread: number } | null> {
  const now = momentNow(clock);
  const [text] = await messages.page(mailboxId, { kind: 'sms', limit: 1, now });
  if (text !== undefined) return null;
  const [all, unread] = await Promise.all([
    messages.countUnexpired(mailboxId, now),
    messages.countUnread(mailboxId, now),
  ]);
  return { all, unread };
}

/** Counts the emails of a mailbox, and those of them that nobody has read. Only beside text messages does it list them. */
export async function countEmails(
  ctx: Context,
  mailboxId: MailboxId,
  cancelSignal: CancelSignal,
): Promise<{ readonly all: number; readonly unread: number }> {
  const found = await countFromCounters(ctx, mailboxId, await ctx.store.readNow());
  if (found !== null) return found;
  let [all, unread] = [0, 0];
  for await (const { marks } of stepsOf(ctx, mailboxId, cancelSignal)) {
    all += marks.length;
    for (const mark of marks) if (isUnread(mark)) unread++;
  }
  return { all, unread };
}
