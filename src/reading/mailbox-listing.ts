import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { type MailboxId, type MessageId, NUMBER_DIGITS } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { MESSAGE_MARK, type PackedMessages } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { ULID_DIGITS } from '../text/ulid-digits.ts';

/** The messages of one step. A step takes some milliseconds. */
const ROWS = 10_000;
const ID_BYTES = 26;
const NO_TAGS: readonly string[] = [];

/** What a list knows about a message that comes. */
export type ListedMessage = Pick<Message, 'id' | 'isRead' | 'isStarred' | 'tags' | 'sizeBytes' | 'receivedAt'>;

/** The messages that the sessions of a listener list at a time. They take some 200 MB. */
const MOST_LISTED = 5_000_000;

/** A mailbox that can't be listed now, because the sessions list too many messages. */
export class ListsAreFull extends Error {
  override readonly name = 'ListsAreFull';

  constructor() {
    super('other clients list too many messages: try again later');
  }
}

/** The room for the lists of all sessions of a listener. */
export class ListRoom {
  #left = MOST_LISTED;

  /** Takes room. Returns the function that gives it back. Throws {@link ListsAreFull}. */
  take(messages: number): () => void {
    if (messages > this.#left) throw new ListsAreFull();
    let taken = messages;
    this.#left -= taken;
    return () => {
      this.#left += taken;
      taken = 0;
    };
  }
}

/**
 * The messages of a mailbox as a session knows them, the oldest first. Each takes 43 bytes, because a session may list
 * a million of them, and many sessions may be open.
 */
export class MailboxListing {
  #length = 0;
  #ids: Buffer;
  #marks: Uint8Array;
  #sizes: Float64Array;
  #times: Float64Array;
  readonly #tags = new Map<MessageId, readonly string[]>();
  #unread = 0;
  #leave = () => {};

  private constructor(room: number) {
    this.#ids = Buffer.allocUnsafeSlow(room * ID_BYTES);
    this.#marks = new Uint8Array(room);
    this.#sizes = new Float64Array(room);
    this.#times = new Float64Array(room);
  }

  /** Lists the messages of a mailbox. It lets others run in between. Throws {@link ListsAreFull}. */
  static async read(
    ctx: Context,
    mailboxId: MailboxId,
    cancelSignal: CancelSignal,
    room: ListRoom,
  ): Promise<MailboxListing> {
    const leave = room.take(await ctx.store.read.messages.count(mailboxId, momentNow(ctx.clock)));
    try {
      const list = await MailboxListing.#listed(ctx, mailboxId, cancelSignal);
      list.#leave = leave;
      return list;
    } catch (error) {
      leave();
      throw error;
    }
  }

  static async #listed(ctx: Context, mailboxId: MailboxId, cancelSignal: CancelSignal): Promise<MailboxListing> {
    const steps: PackedMessages[] = [];
    for (let before: MessageId | undefined; !cancelSignal.isCancelled; ) {
      const now = momentNow(ctx.clock);
      const step = await ctx.store.read.messages.packed({ mailboxId, before, rows: ROWS, now });
      steps.push(step);
      if (step.next === null) break;
      before = step.next;
      await setImmediate();
    }
    const list = new MailboxListing(steps.reduce((sum, { sizes }) => sum + sizes.length, 0));
    // The steps come the newest first.
    for (const step of steps.reverse()) list.#append(step);
    return list;
  }

  /** Gives its room to other sessions. */
  end(): void {
    this.#leave();
  }

  get length(): number {
    return this.#length;
  }

  get unread(): number {
    return this.#unread;
  }

  id(index: number): MessageId {
    // The cast is safe: these bytes were ids.
    return this.#ids.toString('latin1', index * ID_BYTES, (index + 1) * ID_BYTES) as MessageId;
  }

  /** Returns the number at the end of an id (src/domain/ids.ts). */
  number(index: number): number {
    const end = (index + 1) * ID_BYTES;
    let number = 0;
    for (let at = end - NUMBER_DIGITS; at < end; at++) number = number * 32 + (DIGITS[this.#ids[at] ?? 0] ?? 0);
    return number;
  }

  sizeBytes(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  receivedAt(index: number): number {
    return this.#times[index] ?? 0;
  }

  isRead(index: number): boolean {
    return ((this.#marks[index] ?? 0) & MESSAGE_MARK.read) !== 0;
  }

  isStarred(index: number): boolean {
    return ((this.#marks[index] ?? 0) & MESSAGE_MARK.starred) !== 0;
  }

  tags(index: number): readonly string[] {
    return this.#tags.size === 0 ? NO_TAGS : (this.#tags.get(this.id(index)) ?? NO_TAGS);
  }

  /** The tags of all messages, each list once for each message that has it. */
  allTags(): Iterable<readonly string[]> {
    return this.#tags.values();
  }

  /** Returns the index of a message, or -1. */
  indexOf(id: MessageId): number {
    let low = 0;
    let high = this.#length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.id(middle);
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  setMarks(index: number, { isRead, isStarred, tags }: Pick<Message, 'isRead' | 'isStarred' | 'tags'>): void {
    this.#unread += Number(!isRead) - Number(!this.isRead(index));
    this.#marks[index] = (isRead ? MESSAGE_MARK.read : 0) | (isStarred ? MESSAGE_MARK.starred : 0);
    if (tags.length > 0) this.#tags.set(this.id(index), [...tags]);
    else if (this.#tags.size > 0) this.#tags.delete(this.id(index));
  }

  /** Adds a message, which is newer than all others. */
  add(message: ListedMessage): void {
    const index = this.#length;
    if (index === this.#marks.length) this.#grow();
    this.#length++;
    this.#ids.write(message.id, index * ID_BYTES, 'latin1');
    this.#sizes[index] = message.sizeBytes;
    this.#times[index] = message.receivedAt;
    this.#marks[index] = MESSAGE_MARK.read;
    this.setMarks(index, message);
  }

  /** Removes the messages at these indexes, which are ascending. */
  removeAll(indexes: readonly number[]): void {
    let to = indexes[0] ?? this.#length;
    for (const [nth, index] of indexes.entries()) {
      if (!this.isRead(index)) this.#unread--;
      if (this.#tags.size > 0) this.#tags.delete(this.id(index));
      const from = index + 1;
      const end = indexes[nth + 1] ?? this.#length;
      this.#ids.copy(this.#ids, to * ID_BYTES, from * ID_BYTES, end * ID_BYTES);
      for (const list of [this.#marks, this.#sizes, this.#times]) list.copyWithin(to, from, end);
      to += end - from;
    }
    this.#length = to;
  }

  #append({ ids, marks, sizes, times, tags }: PackedMessages): void {
    this.#ids.set(ids, this.#length * ID_BYTES);
    this.#marks.set(marks, this.#length);
    this.#sizes.set(sizes, this.#length);
    this.#times.set(times, this.#length);
    this.#length += marks.length;
    for (const mark of marks) if ((mark & MESSAGE_MARK.read) === 0) this.#unread++;
    for (const [id, names] of tags) this.#tags.set(id, names);
  }

  #grow(): void {
    const room = Math.ceil(this.#length * 1.2) + 64;
    const grown = new MailboxListing(room);
    this.#ids.copy(grown.#ids);
    grown.#marks.set(this.#marks);
    grown.#sizes.set(this.#sizes);
    grown.#times.set(this.#times);
    this.#ids = grown.#ids;
    this.#marks = grown.#marks;
    this.#sizes = grown.#sizes;
    this.#times = grown.#times;
  }
}

/** Counts the emails of a mailbox, and those of them that nobody has read. Only beside text messages does it list them. */
export async function countEmails(
  ctx: Context,
  mailboxId: MailboxId,
  cancelSignal: CancelSignal,
): Promise<{ readonly all: number; readonly unread: number }> {
  const { messages } = await ctx.store.readNow();
  const now = momentNow(ctx.clock);
  const [text] = await messages.page(mailboxId, { kind: 'sms', limit: 1, now });
  if (text === undefined)
    return { all: await messages.countUnexpired(mailboxId, now), unread: await messages.countUnread(mailboxId, now) };
  let [all, unread] = [0, 0];
  for (let before: MessageId | undefined; !cancelSignal.isCancelled; ) {
    const { marks, next } = await ctx.store.read.messages.packed({ mailboxId, before, rows: ROWS, now });
    all += marks.length;
    for (const mark of marks) if ((mark & MESSAGE_MARK.read) === 0) unread++;
    if (next === null) break;
    before = next;
    await setImmediate();
  }
  return { all, unread };
}

/** The value of each digit of an id, by its character. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 32; digit++) DIGITS[ULID_DIGITS.charCodeAt(digit)] = digit;
