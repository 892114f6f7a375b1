import { type MessageId, NUMBER_DIGITS } from '../domain/ids.ts';
import type { Marks } from '../domain/marks.ts';
import type { Message } from '../domain/message.ts';
import { MESSAGE_MARK, type PackedMessages } from '../ports/store.ts';
import { ULID_DIGITS } from '../text/ulid-digits.ts';

/** What a list knows about a message that comes. */
export type ListedMessage = Marks & Pick<Message, 'id' | 'sizeBytes' | 'receivedAt'>;

/** The numbers of a block. A block with more would make each change of it cost more. */
const NUMBERS = 128;
/** A row: the id in ASCII, a byte for its marks, and two doubles for its size and the time at which it came. */
const ID_BYTES = 26;
const MARKS_AT = ID_BYTES;
const SIZE_AT = MARKS_AT + 1;
const TIME_AT = SIZE_AT + 8;
const ROW_BYTES = TIME_AT + 8;
const SOME_ROWS = 8;
/** What a block costs at least, and what a message with tags costs more, in rows. */
const LEAST_COST = 16;
const COST_OF_TAGS = 4;
const NO_TAGS: readonly string[] = [];

/**
 * Messages of a mailbox that stand beside each other, in 43 bytes each. Their numbers say to which block they belong, so
 * that all lists of a mailbox are divided alike, whatever is deleted.
 */
export class MessageBlock {
  /** The number that all messages of the block have in common. */
  readonly key: number;
  /** The lists that have the block. While there are several, nobody changes it. */
  holders = 1;
  /** The room that is taken for it. */
  cost = 0;
  #length = 0;
  #sumBytes: number | null = null;
  #rows: Buffer;
  #tags: Map<MessageId, readonly string[]> | null = null;

  constructor(key: number, room = SOME_ROWS) {
    this.key = key;
    this.#rows = Buffer.allocUnsafeSlow(room * ROW_BYTES);
  }

  get length(): number {
    return this.#length;
  }

  /** What the block costs, in rows. */
  get rowsTaken(): number {
    return Math.max(LEAST_COST, this.#rows.length / ROW_BYTES) + COST_OF_TAGS * (this.#tags?.size ?? 0);
  }

  /** The bytes of its messages. They are added up once for all lists, until one of them changes the block. */
  sumBytes(): number {
    if (this.#sumBytes === null) {
      this.#sumBytes = 0;
      for (let index = 0; index < this.#length; index++) this.#sumBytes += this.sizeBytes(index);
    }
    return this.#sumBytes;
  }

  id(index: number): MessageId {
    const at = index * ROW_BYTES;
    // The cast is safe: these bytes were ids.
    return this.#rows.toString('latin1', at, at + ID_BYTES) as MessageId;
  }

  number(index: number): number {
    return numberAt(this.#rows, index * ROW_BYTES);
  }

  marks(index: number): number {
    return this.#rows[index * ROW_BYTES + MARKS_AT] ?? 0;
  }

  sizeBytes(index: number): number {
    return this.#rows.readDoubleLE(index * ROW_BYTES + SIZE_AT);
  }

  receivedAt(index: number): number {
    return this.#rows.readDoubleLE(index * ROW_BYTES + TIME_AT);
  }

  message(index: number): ListedMessage {
    const marks = this.marks(index);
    return {
      id: this.id(index),
      isRead: (marks & MESSAGE_MARK.read) !== 0,
      isStarred: (marks & MESSAGE_MARK.starred) !== 0,
      tags: this.tags(index),
      sizeBytes: this.sizeBytes(index),
      receivedAt: this.receivedAt(index),
    };
  }

  tags(index: number): readonly string[] {
    return this.#tags === null ? NO_TAGS : (this.#tags.get(this.id(index)) ?? NO_TAGS);
  }

  allTags(): Iterable<readonly string[]> {
    return this.#tags?.values() ?? [];
  }

  copy(): MessageBlock {
    const copy = new MessageBlock(this.key, this.#length + SOME_ROWS);
    this.#rows.copy(copy.#rows, 0, 0, this.#length * ROW_BYTES);
    copy.#length = this.#length;
    if (this.#tags !== null) copy.#tags = new Map(this.#tags);
    return copy;
  }

  equals(other: MessageBlock): boolean {
    const bytes = this.#length * ROW_BYTES;
    if (this.#length !== other.#length || this.#rows.compare(other.#rows, 0, bytes, 0, bytes) !== 0) return false;
    if (this.#tags?.size !== other.#tags?.size) return false;
    for (const [id, tags] of this.#tags ?? []) if (!isSame(tags, other.#tags?.get(id) ?? NO_TAGS)) return false;
    return true;
  }

  /** Tells whether the block has exactly the messages from one index to before another. */
  isOf({ ids, marks, sizes, times, tags }: PackedMessages, from: number, to: number): boolean {
    if (this.#length !== to - from) return false;
    let tagged = 0;
    for (let nth = 0; nth < this.#length; nth++) {
      const at = nth * ROW_BYTES;
      const index = from + nth;
      for (let byte = ID_BYTES - 1; byte >= 0; byte--)
        if (this.#rows[at + byte] !== ids[index * ID_BYTES + byte]) return false;
      if (this.#rows[at + MARKS_AT] !== marks[index]) return false;
      if (this.sizeBytes(nth) !== sizes[index] || this.receivedAt(nth) !== times[index]) return false;
      if (tags.size === 0) continue;
      const names = tags.get(this.id(nth)) ?? NO_TAGS;
      if (names.length > 0) tagged++;
      if (!isSame(names, this.tags(nth))) return false;
    }
    return tagged === (this.#tags?.size ?? 0);
  }

  add({ id, sizeBytes, receivedAt, ...marks }: ListedMessage): void {
    this.#sumBytes = null;
    this.#makeRoom(1);
    const at = this.#length * ROW_BYTES;
    this.#rows.write(id, at, 'latin1');
    this.#rows.writeDoubleLE(sizeBytes, at + SIZE_AT);
    this.#rows.writeDoubleLE(receivedAt, at + TIME_AT);
    this.#length++;
    this.setMarks(this.#length - 1, marks);
  }

  /** Adds the messages from one index to before another. */
  addPacked({ ids, marks, sizes, times, tags }: PackedMessages, from: number, to: number): void {
    this.#sumBytes = null;
    this.#makeRoom(to - from);
    for (let index = from; index < to; index++) {
      const at = this.#length * ROW_BYTES;
      for (let byte = 0; byte < ID_BYTES; byte++) this.#rows[at + byte] = ids[index * ID_BYTES + byte] ?? 0;
      this.#rows[at + MARKS_AT] = marks[index] ?? 0;
      this.#rows.writeDoubleLE(sizes[index] ?? 0, at + SIZE_AT);
      this.#rows.writeDoubleLE(times[index] ?? 0, at + TIME_AT);
      this.#length++;
      if (tags.size > 0) this.#setTags(this.#length - 1, tags.get(this.id(this.#length - 1)) ?? NO_TAGS);
    }
  }

  /** Adds all messages of a block that goes on where this one ends. */
  addAll(next: MessageBlock): void {
    this.#sumBytes = null;
    this.#makeRoom(next.#length);
    next.#rows.copy(this.#rows, this.#length * ROW_BYTES, 0, next.#length * ROW_BYTES);
    this.#length += next.#length;
    if (next.#tags !== null) this.#tags = new Map([...(this.#tags ?? []), ...next.#tags]);
  }

  setMarks(index: number, { isRead, isStarred, tags }: Marks): void {
    this.#rows[index * ROW_BYTES + MARKS_AT] =
      (isRead ? MESSAGE_MARK.read : 0) | (isStarred ? MESSAGE_MARK.starred : 0);
    this.#setTags(index, tags);
  }

  /** Removes the messages at these indexes, which are ascending. */
  removeAll(indexes: readonly number[]): void {
    this.#sumBytes = null;
    let to = (indexes[0] ?? this.#length) * ROW_BYTES;
    for (const [nth, index] of indexes.entries()) {
      this.#setTags(index, NO_TAGS);
      const from = (index + 1) * ROW_BYTES;
      const end = (indexes[nth + 1] ?? this.#length) * ROW_BYTES;
      this.#rows.copyWithin(to, from, end);
      to += end - from;
    }
    this.#length = to / ROW_BYTES;
  }

  #setTags(index: number, tags: readonly string[]): void {
    if (tags.length > 0) {
      this.#tags ??= new Map();
      this.#tags.set(this.id(index), [...tags]);
    } else if (this.#tags?.delete(this.id(index)) && this.#tags.size === 0) this.#tags = null;
  }

  #makeRoom(messages: number): void {
    const bytes = (this.#length + messages) * ROW_BYTES;
    if (bytes <= this.#rows.length) return;
    const rows = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(2 * this.#rows.length, NUMBERS * ROW_BYTES)));
    this.#rows.copy(rows, 0, 0, this.#length * ROW_BYTES);
    this.#rows = rows;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((tag, nth) => tag === other[nth]);
}

/** Returns the key of the block to which a message belongs. */
export function blockOf(id: MessageId): number {
  return keyOf(numberAt(Buffer.from(id, 'latin1'), 0));
}

/** Returns the key of the block to which a message of a packed list belongs. */
export function blockAt({ ids }: PackedMessages, index: number): number {
  return keyOf(numberAt(ids, index * ID_BYTES));
}

function keyOf(number: number): number {
  return Math.floor(number / NUMBERS);
}

/** Reads the number at the end of an id (src/domain/ids.ts). */
function numberAt(bytes: Uint8Array, at: number): number {
  const end = at + ID_BYTES;
  let number = 0;
  for (let digit = end - NUMBER_DIGITS; digit < end; digit++) number = number * 32 + (DIGITS[bytes[digit] ?? 0] ?? 0);
  return number;
}

/** The value of each digit of an id, by its character. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 32; digit++) DIGITS[ULID_DIGITS.charCodeAt(digit)] = digit;
