import type { BlobRef } from '../../../domain/message.ts';
import { eachExtent } from '../blob-ref.ts';
import { IdKey, writeUlid } from './id-key.ts';

// A row of a page has little-endian numbers at fixed offsets. Texts are stored by their number in the page.

export const AT = {
  id: 0,
  receivedAt: 16,
  sizeBytes: 24,
  attachmentCount: 32,
  homeOffset: 36,
  raw: 40,
  facts: 52,
  workspaceId: 64,
  mailboxId: 66,
  from: 68,
  to: 70,
  cc: 72,
  subject: 74,
  mailFrom: 76,
  rcptTo: 78,
  tags: 80,
  flags: 82,
} as const;
export const RECORD_BYTES = 83;

/** The offsets of text numbers. Only the texts of the first list may be null. */
export const TEXTS_OR_NULL = [AT.from, AT.to, AT.cc, AT.subject, AT.tags] as const;
export const TEXTS = [AT.workspaceId, AT.mailboxId, AT.mailFrom, AT.rcptTo] as const;

export const FLAG = {
  dead: 1,
  /** A transaction that is not durable yet removed or replaced the row. */
  hidden: 2,
  /** `rcptTo` is a JSON list instead of its only entry. */
  list: 4,
  /**
   * The reference is not a single extent. So it is stored as a text, and the number of the text is in the place of the
   * segment.
   */
  rawIsText: 8,
  factsIsText: 16,
  read: 32,
  starred: 64,
  sms: 128,
} as const;
/** The flags that belong to the row itself. */
export const OWN_FLAGS = FLAG.list | FLAG.rawIsText | FLAG.factsIsText | FLAG.read | FLAG.starred | FLAG.sms;

/** Compares an id with a key. The result is negative, 0 or positive, as in `Array.sort`. */
export function compareIdAt(view: DataView, at: number, key: IdKey): number {
  if (key.text !== null) {
    const id = idAt(view, at);
    return id < key.text ? -1 : id === key.text ? 0 : 1;
  }
  // This runs many times for each look-up, so it reads no more words than it needs.
  return (
    view.getUint32(at, true) - key.a ||
    view.getUint32(at + 4, true) - key.b ||
    view.getUint32(at + 8, true) - key.c ||
    view.getUint32(at + 12, true) - key.d
  );
}

const scratch = new IdKey();

export function readIdInto(view: DataView, at: number, key: IdKey): IdKey {
  return key.setWords(
    view.getUint32(at, true),
    view.getUint32(at + 4, true),
    view.getUint32(at + 8, true),
    view.getUint32(at + 12, true),
  );
}

export function idAt(view: DataView, at: number): string {
  return readIdInto(view, at, scratch).toString();
}

/** Writes an id as text into a buffer. */
export function idInto(view: DataView, at: number, into: Buffer, place: number): void {
  writeUlid(readIdInto(view, at, scratch), into, place);
}

export function writeId(view: DataView, at: number, { a, b, c, d }: IdKey): void {
  view.setUint32(at, a, true);
  view.setUint32(at + 4, b, true);
  view.setUint32(at + 8, c, true);
  view.setUint32(at + 12, d, true);
}

const extent: ExtentNumbers = [0, 0, 0];

/** Writes a reference. Returns false if it was stored as a text. */
export function writeRecordRef(view: DataView, at: number, ref: BlobRef, texts: Texts): boolean {
  const single = readExtent(ref, extent);
  view.setUint32(at, single ? extent[0] : texts.number(ref), true);
  view.setUint32(at + 4, single ? extent[1] : 0, true);
  view.setUint32(at + 8, single ? extent[2] : 0, true);
  return single;
}

export function refAt(view: DataView, at: number, isText: boolean, texts: Texts): BlobRef {
  const first = view.getUint32(at, true);
  // The casts are safe: these texts were stored as references.
  if (isText) return texts.text(first) as BlobRef;
  return `${first}.${view.getUint32(at + 4, true)}.${view.getUint32(at + 8, true)}` as BlobRef;
}

type ExtentNumbers = [segment: number, offset: number, length: number];

/**
 * Parses a reference with one extent of 32-bit numbers into `numbers`. Returns false for any other text, which would
 * not be written back identically.
 */
function readExtent(ref: BlobRef, numbers: ExtentNumbers): boolean {
  eachExtent(ref, (segment, offset, length) => {
    numbers[0] = segment;
    numbers[1] = offset;
    numbers[2] = length;
  });
  const [segment, offset, length] = numbers;
  return Math.max(segment, offset, length) <= 0xffffffff && `${segment}.${offset}.${length}` === ref;
}

/**
 * The maximum number of texts in the map that finds repeated texts while a page is filled. A full map is cleared, so
 * that no sender can make it grow.
 */
const REMEMBERED = 4_096;
/** The number that stands for null. No text has it. */
export const NO_TEXT = 0xffff;
/** The first byte of a text in UTF-16, which keeps lone surrogates. UTF-8 never starts with it. */
const UTF16_MARK = 0xff;
/** The longest text that is written character by character. */
const SHORT = 128;
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** The texts of a page by number. A repeated text gets the same number as long as the map of texts holds it. */
export class Texts {
  #bytes: Buffer;
  /** The end of each text, as 32-bit little-endian numbers. */
  #ends: DataView;
  #count: number;
  #size: number;
  #numbers: Map<string, number> | null;

  private constructor(bytes: Buffer, ends: DataView, count: number, size: number, numbers: Map<string, number> | null) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#count = count;
    this.#size = size;
    this.#numbers = numbers;
  }

  /** Creates an empty collection to be filled. */
  static filling(): Texts {
    return new Texts(Buffer.allocUnsafeSlow(2_048), viewOf(256), 0, 0, new Map());
  }

  /**
   * Creates a collection over packed texts. It keeps `ends` and `bytes` without a copy. Throws if they do not match.
   */
  static over(ends: DataView, bytes: Buffer): Texts {
    const count = ends.byteLength / 4;
    let before = 0;
    for (let number = 0; number < count; number++) {
      const end = ends.getUint32(number * 4, true);
      if (end < before) throw new Error('a text of a message page ends before it begins');
      before = end;
    }
    if (before !== bytes.length)
      throw new Error('the texts of a message page have another length than its header says');
    return new Texts(bytes, ends, count, bytes.length, null);
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#size;
  }

  /** Returns a text exactly as it was stored. */
  text(number: number): string {
    const { start, end } = this.#range(number);
    if (start < end && this.#bytes[start] === UTF16_MARK) return this.#bytes.toString('utf16le', start + 1, end);
    return this.#bytes.toString('utf8', start, end);
  }

  /** Returns the number of a text. It adds the text if the map does not hold it. */
  number(text: string): number {
    const known = this.#numbers?.get(text);
    if (known !== undefined) return known;
    const added = this.#add(text);
    if (this.#numbers === null || this.#numbers.size >= REMEMBERED) this.#numbers = new Map();
    this.#numbers.set(text, added);
    return added;
  }

  /** Closes the collection for new texts and frees the memory that only new texts would need. */
  seal(): void {
    this.#numbers = null;
    const bytes = Buffer.allocUnsafeSlow(this.#size);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
    const ends = viewOf(this.#count);
    copyBytes(this.#ends, ends, this.#count * 4);
    this.#ends = ends;
  }

  /** Copies the given texts and numbers them in the order of the list. */
  only(numbers: readonly number[]): Texts {
    const ends = viewOf(numbers.length);
    const parts = numbers.map((number) => {
      const { start, end } = this.#range(number);
      return this.#bytes.subarray(start, end);
    });
    let size = 0;
    parts.forEach((part, index) => {
      size += part.length;
      ends.setUint32(index * 4, size, true);
    });
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const part of parts) at += part.copy(bytes, at);
    return new Texts(bytes, ends, numbers.length, size, null);
  }

  /** Returns the input for {@link over}. */
  packed(): { readonly ends: Buffer; readonly bytes: Buffer } {
    const ends = Buffer.from(this.#ends.buffer, this.#ends.byteOffset, this.#count * 4);
    return { ends, bytes: this.#bytes.subarray(0, this.#size) };
  }

  #range(number: number): { start: number; end: number } {
    if (number >= this.#count) throw new Error(`a message page has no text ${number}`);
    return {
      start: number === 0 ? 0 : this.#ends.getUint32(number * 4 - 4, true),
      end: this.#ends.getUint32(number * 4, true),
    };
  }

  #add(text: string): number {
    if (this.#count >= NO_TEXT) throw new Error('a message page has too many texts');
    // UTF-8 takes at most three bytes per UTF-16 unit.
    const most = this.#size + text.length * 3 + 1;
    if (most > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(most, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    if (this.#count * 4 >= this.#ends.byteLength) {
      const grown = viewOf(this.#count * 2);
      copyBytes(this.#ends, grown, this.#count * 4);
      this.#ends = grown;
    }
    this.#size += writeText(this.#bytes, this.#size, text);
    this.#ends.setUint32(this.#count * 4, this.#size, true);
    return this.#count++;
  }
}

/** Writes a text and returns the number of bytes. */
function writeText(bytes: Buffer, at: number, text: string): number {
  // Most texts are short ASCII. A loop is then faster than a native call.
  let length = 0;
  while (length < text.length && length < SHORT) {
    const code = text.charCodeAt(length);
    if (code > 0x7f) break;
    bytes[at + length++] = code;
  }
  if (length === text.length) return length;
  if (!LONE_SURROGATE.test(text)) return bytes.write(text, at, 'utf8');
  bytes[at] = UTF16_MARK;
  return 1 + bytes.write(text, at + 1, 'utf16le');
}

function viewOf(numbers: number): DataView {
  return new DataView(new ArrayBuffer(numbers * 4));
}

function copyBytes(from: DataView, to: DataView, length: number): void {
  new Uint8Array(to.buffer, to.byteOffset, length).set(new Uint8Array(from.buffer, from.byteOffset, length));
}
