import type { MailboxId, MessageId, WorkspaceId } from '../../../domain/ids.ts';
import type { BlobRef, Message } from '../../../domain/message.ts';
import { getOrCreate } from '../../../text/maps.ts';
import { eachExtent } from '../blob-ref.ts';
import { IdKey } from './id-key.ts';
import {
  AT,
  compareIdAt,
  FLAG,
  idAt,
  idInto,
  NO_TEXT,
  OWN_FLAGS,
  RECORD_BYTES,
  readIdInto,
  refAt,
  TEXTS,
  TEXTS_OR_NULL,
  Texts,
  writeId,
  writeRecordRef,
} from './record.ts';

/** The largest number of rows in a page. */
export const PAGE_ROWS = 4_096;
/** The bytes of texts at which a page is full, even with fewer rows. */
const PAGE_TEXT_BYTES = 8 * 1024 * 1024;
const FIRST_ROWS = 64;

const key = new IdKey();

/** Throws a RangeError if a row cannot be packed: its id is no ULID, or its number of attachments exceeds 32 bits. */
export function checkPackable({ id, attachmentCount }: Message): void {
  if (key.setText(id).text !== null) throw new RangeError(`a message's id must be a ULID, and ${id} is none`);
  if (!isUint32(attachmentCount)) throw new RangeError(`a message can't have ${attachmentCount} attachments`);
}

/**
 * The packed rows of one segment, without an object per row. A row keeps its number as long as it lives, even if others
 * are dropped.
 */
export class RowPage {
  readonly segment: number;
  texts: Texts;
  #bytes: Buffer;
  #view: DataView;
  /** The number of rows that were added, including dead ones. */
  #rows: number;
  /** The row numbers left after a compaction, ascending. The index in this list is the position of the row. */
  #kept: Uint16Array | null = null;
  live: number;

  private constructor(segment: number, bytes: Buffer, rows: number, texts: Texts) {
    this.segment = segment;
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#rows = rows;
    this.live = rows;
    this.texts = texts;
  }

  static filling(segment: number): RowPage {
    return new RowPage(segment, Buffer.allocUnsafeSlow(FIRST_ROWS * RECORD_BYTES), 0, Texts.filling());
  }

  /** Creates a page over packed rows. It keeps `bytes` without a copy and writes flags into them. */
  static over(segment: number, bytes: Buffer, texts: Texts): RowPage {
    return new RowPage(segment, bytes, bytes.length / RECORD_BYTES, texts);
  }

  /** The number of rows that were added, including dead ones. */
  get rows(): number {
    return this.#rows;
  }

  /** The number of rows that use memory. */
  get stored(): number {
    return this.#kept?.length ?? this.#rows;
  }

  get isFull(): boolean {
    return this.#rows >= PAGE_ROWS || this.texts.bytes > PAGE_TEXT_BYTES;
  }

  /** Appends a row and returns its number. Throws like {@link checkPackable}, and then adds nothing. */
  append(message: Message, homeOffset: number): number {
    checkPackable(message);
    if (!isUint32(homeOffset)) throw new RangeError(`no row stands at ${homeOffset} of a segment`);
    const row = this.#rows;
    const at = row * RECORD_BYTES;
    if (at + RECORD_BYTES > this.#bytes.length) this.#resize(Math.min(row * 2, PAGE_ROWS));
    const view = this.#view;
    const { texts } = this;
    writeId(view, at, key);
    view.setFloat64(at + AT.receivedAt, message.receivedAt, true);
    view.setFloat64(at + AT.sizeBytes, message.sizeBytes, true);
    view.setUint32(at + AT.attachmentCount, message.attachmentCount, true);
    view.setUint32(at + AT.homeOffset, homeOffset, true);
    view.setUint16(at + AT.workspaceId, texts.number(message.workspaceId), true);
    view.setUint16(at + AT.mailboxId, texts.number(message.mailboxId), true);
    view.setUint16(at + AT.from, numberOf(texts, message.from), true);
    view.setUint16(at + AT.to, numberOf(texts, message.to), true);
    view.setUint16(at + AT.cc, numberOf(texts, message.cc), true);
    view.setUint16(at + AT.subject, numberOf(texts, message.subject), true);
    view.setUint16(at + AT.mailFrom, texts.number(message.mailFrom), true);
    const [only] = message.rcptTo;
    const isList = only === undefined || message.rcptTo.length > 1;
    view.setUint16(at + AT.rcptTo, texts.number(isList ? JSON.stringify(message.rcptTo) : only), true);
    view.setUint16(
      at + AT.tags,
      numberOf(texts, message.tags.length === 0 ? null : JSON.stringify(message.tags)),
      true,
    );
    const rawIsText = !writeRecordRef(view, at + AT.raw, message.raw, texts);
    const factsIsText = !writeRecordRef(view, at + AT.facts, message.facts, texts);
    const form = (isList ? FLAG.list : 0) | (rawIsText ? FLAG.rawIsText : 0) | (factsIsText ? FLAG.factsIsText : 0);
    const marks = (message.isRead ? FLAG.read : 0) | (message.isStarred ? FLAG.starred : 0);
    view.setUint8(at + AT.flags, form | marks | (message.kind === 'sms' ? FLAG.sms : 0));
    this.#rows++;
    this.live++;
    return row;
  }

  /** Closes the page for new rows and frees the memory that only new rows would need. */
  seal(): void {
    this.#resize(this.stored);
    this.texts.seal();
  }

  message(row: number): Message {
    const at = this.#at(row);
    const view = this.#view;
    return {
      // The casts are safe: these texts were stored as ids.
      id: idAt(view, at) as MessageId,
      ...(this.has(row, FLAG.sms) && { kind: 'sms' }),
      workspaceId: this.text(row, AT.workspaceId) as WorkspaceId,
      mailboxId: this.text(row, AT.mailboxId) as MailboxId,
      receivedAt: view.getFloat64(at + AT.receivedAt, true),
      sizeBytes: view.getFloat64(at + AT.sizeBytes, true),
      attachmentCount: view.getUint32(at + AT.attachmentCount, true),
      from: this.textOrNull(row, AT.from),
      to: this.textOrNull(row, AT.to),
      cc: this.textOrNull(row, AT.cc),
      subject: this.textOrNull(row, AT.subject),
      mailFrom: this.text(row, AT.mailFrom),
      rcptTo: this.rcptTo(row),
      raw: this.raw(row),
      facts: this.facts(row),
      isRead: this.has(row, FLAG.read),
      isStarred: this.has(row, FLAG.starred),
      tags: this.tags(row),
    };
  }

  /** Returns the text of a row. `place` is one of {@link TEXTS}. */
  text(row: number, place: number): string {
    return this.texts.text(this.#view.getUint16(this.#at(row) + place, true));
  }

  /** Returns the text of a row or null. `place` is one of {@link TEXTS_OR_NULL}. */
  textOrNull(row: number, place: number): string | null {
    const number = this.#view.getUint16(this.#at(row) + place, true);
    return number === NO_TEXT ? null : this.texts.text(number);
  }

  rcptTo(row: number): readonly string[] {
    const text = this.text(row, AT.rcptTo);
    return this.has(row, FLAG.list) ? parseList(text) : [text];
  }

  tags(row: number): readonly string[] {
    const text = this.textOrNull(row, AT.tags);
    return text === null ? NO_TAGS : parseList(text);
  }

  receivedAt(row: number): number {
    return this.#view.getFloat64(this.#at(row) + AT.receivedAt, true);
  }

  attachmentCount(row: number): number {
    return this.#view.getUint32(this.#at(row) + AT.attachmentCount, true);
  }

  id(row: number): string {
    return idAt(this.#view, this.#at(row));
  }

  idInto(row: number, into: Buffer, place: number): void {
    idInto(this.#view, this.#at(row), into, place);
  }

  keyInto(row: number, into: IdKey): IdKey {
    return readIdInto(this.#view, this.#at(row), into);
  }

  compareId(row: number, to: IdKey): number {
    return compareIdAt(this.#view, this.#at(row), to);
  }

  mailboxNumber(row: number): number {
    return this.#view.getUint16(this.#at(row) + AT.mailboxId, true);
  }

  workspaceNumber(row: number): number {
    return this.#view.getUint16(this.#at(row) + AT.workspaceId, true);
  }

  sizeBytes(row: number): number {
    return this.#view.getFloat64(this.#at(row) + AT.sizeBytes, true);
  }

  homeOffset(row: number): number {
    return this.#view.getUint32(this.#at(row) + AT.homeOffset, true);
  }

  raw(row: number): BlobRef {
    return refAt(this.#view, this.#at(row) + AT.raw, this.has(row, FLAG.rawIsText), this.texts);
  }

  facts(row: number): BlobRef {
    return refAt(this.#view, this.#at(row) + AT.facts, this.has(row, FLAG.factsIsText), this.texts);
  }

  /** Calls `tell` for each extent of the row's blobs. It creates no object for a reference with one extent. */
  eachExtent(row: number, tell: (segment: number, offset: number, length: number) => void): void {
    this.#extents(row, AT.raw, FLAG.rawIsText, tell);
    this.#extents(row, AT.facts, FLAG.factsIsText, tell);
  }

  has(row: number, flag: number): boolean {
    return (this.#view.getUint8(this.#at(row) + AT.flags) & flag) !== 0;
  }

  set(row: number, flag: number): void {
    const at = this.#at(row) + AT.flags;
    this.#view.setUint8(at, this.#view.getUint8(at) | flag);
  }

  unset(row: number, flag: number): void {
    const at = this.#at(row) + AT.flags;
    this.#view.setUint8(at, this.#view.getUint8(at) & ~flag);
  }

  /** Calls `visit` for each living row in the order of their numbers. */
  eachLiving(visit: (row: number) => void): void {
    for (let index = 0; index < this.stored; index++) {
      if ((this.#view.getUint8(index * RECORD_BYTES + AT.flags) & FLAG.dead) === 0) visit(this.#kept?.[index] ?? index);
    }
  }

  /** Copies the given rows in this order, with the texts they need. */
  excerpt(rows: readonly number[]): { readonly records: Buffer; readonly texts: Texts } {
    const records = Buffer.allocUnsafeSlow(rows.length * RECORD_BYTES);
    if (rows.length === this.#rows && this.#kept === null && rows.every((row, index) => row === index)) {
      this.#bytes.copy(records);
      return { records, texts: this.texts };
    }
    const view = viewOf(records);
    const numbers = new Map<number, number>();
    const renumber = (at: number) => {
      const number = view.getUint16(at, true);
      if (number === NO_TEXT) return;
      view.setUint16(at, renumbered(numbers, number), true);
    };
    rows.forEach((row, index) => {
      const from = this.#at(row);
      const at = index * RECORD_BYTES;
      this.#bytes.copy(records, at, from, from + RECORD_BYTES);
      for (let place: number = AT.workspaceId; place <= AT.tags; place += 2) renumber(at + place);
      const flags = view.getUint8(at + AT.flags);
      for (const [place, flag] of TEXT_REFS) {
        if ((flags & flag) !== 0)
          view.setUint32(at + place, renumbered(numbers, view.getUint32(at + place, true)), true);
      }
    });
    return { records, texts: this.texts.only([...numbers.keys()]) };
  }

  /**
   * Drops dead rows and the texts that only they used. The other rows keep their numbers; the numbers of texts change.
   */
  compact(): void {
    const rows: number[] = [];
    this.eachLiving((row) => rows.push(row));
    const { records, texts } = this.excerpt(rows);
    this.#bytes = records;
    this.#view = viewOf(records);
    this.#kept = Uint16Array.from(rows);
    this.texts = texts;
  }

  #extents(
    row: number,
    place: number,
    isText: number,
    tell: (segment: number, offset: number, length: number) => void,
  ): void {
    const at = this.#at(row) + place;
    const view = this.#view;
    if (this.has(row, isText)) eachExtent(refAt(view, at, true, this.texts), tell);
    else tell(view.getUint32(at, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true));
  }

  #at(row: number): number {
    const kept = this.#kept;
    if (kept === null) return row * RECORD_BYTES;
    // This runs for each field that is read, so the search calls no function.
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((kept[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    if (kept[low] !== row) throw new Error(`a message page has no row ${row} any more`);
    return low * RECORD_BYTES;
  }

  #resize(rows: number): void {
    const bytes = Buffer.allocUnsafeSlow(rows * RECORD_BYTES);
    this.#bytes.copy(bytes, 0, 0, Math.min(this.stored, rows) * RECORD_BYTES);
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

const TEXT_REFS = [
  [AT.raw, FLAG.rawIsText],
  [AT.facts, FLAG.factsIsText],
] as const;

const NO_TAGS: readonly string[] = [];

function numberOf(texts: Texts, text: string | null): number {
  return text === null ? NO_TEXT : texts.number(text);
}

function renumbered(numbers: Map<number, number>, number: number): number {
  return getOrCreate(numbers, number, () => numbers.size);
}

function parseList(json: string): string[] {
  // The cast is safe: `append` wrote it, or a checksum guarded it.
  return JSON.parse(json) as string[];
}

function isUint32(number: number): boolean {
  return number >>> 0 === number;
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

// A packed page has a header with mark, number of rows, number of texts and bytes of texts (32 bits each,
// little-endian). Then come the rows, the end of each text, and the texts.

const MARK = 0x316b6c62;
const HEADER_BYTES = 16;

/** Packs the living rows of a page, the oldest first, into self-contained bytes. */
export function packPage(page: RowPage): Buffer {
  const key = new IdKey();
  const rows: number[] = [];
  let sorted = true;
  let before = -1;
  page.eachLiving((row) => {
    if (before >= 0 && sorted) sorted = page.compareId(before, page.keyInto(row, key)) < 0;
    before = row;
    rows.push(row);
  });
  if (!sorted) rows.sort((a, b) => page.compareId(a, page.keyInto(b, key)));
  const { records, texts } = page.excerpt(rows);
  for (let at = AT.flags; at < records.length; at += RECORD_BYTES) records[at] = (records[at] ?? 0) & OWN_FLAGS;
  const { ends, bytes } = texts.packed();
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MARK, 0);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt32LE(texts.count, 8);
  header.writeUInt32LE(bytes.length, 12);
  return Buffer.concat([header, records, ends, bytes]);
}

/** Reads a sequence of packed pages. It keeps `bytes` without a copy. Throws an Error if they are invalid. */
export function unpackPages(segment: number, bytes: Buffer): RowPage[] {
  const pages: RowPage[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < HEADER_BYTES || bytes.readUInt32LE(at) !== MARK) throw broken('has no mark', at);
    const rows = bytes.readUInt32LE(at + 4);
    const texts = bytes.readUInt32LE(at + 8);
    const textBytes = bytes.readUInt32LE(at + 12);
    if (rows > PAGE_ROWS || texts > NO_TEXT) throw broken('has too much in it', at);
    const recordsAt = at + HEADER_BYTES;
    const endsAt = recordsAt + rows * RECORD_BYTES;
    const textsAt = endsAt + texts * 4;
    const end = textsAt + textBytes;
    if (end > bytes.length) throw broken('is cut off', at);
    const ends = new DataView(bytes.buffer, bytes.byteOffset + endsAt, texts * 4);
    const records = bytes.subarray(recordsAt, endsAt);
    checkRecords(records, texts, at);
    if (rows > 0) pages.push(RowPage.over(segment, records, Texts.over(ends, bytes.subarray(textsAt, end))));
    at = end;
  }
  return pages;
}

function checkRecords(records: Buffer, texts: number, page: number): void {
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  const before = new IdKey();
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    if (at > 0 && compareIdAt(view, at, before) <= 0) throw broken('is not in order', page);
    readIdInto(view, at, before);
    const flags = view.getUint8(at + AT.flags);
    if ((flags & ~OWN_FLAGS) !== 0) throw broken('has flags that are none', page);
    for (const place of TEXTS) if (view.getUint16(at + place, true) >= texts) throw broken('refers to no text', page);
    for (const place of TEXTS_OR_NULL) {
      const number = view.getUint16(at + place, true);
      if (number >= texts && number !== NO_TEXT) throw broken('refers to no text', page);
    }
    const rawIsBroken = (flags & FLAG.rawIsText) !== 0 && view.getUint32(at + AT.raw, true) >= texts;
    const factsIsBroken = (flags & FLAG.factsIsText) !== 0 && view.getUint32(at + AT.facts, true) >= texts;
    if (rawIsBroken || factsIsBroken) throw broken('refers to no text', page);
  }
}

function broken(how: string, at: number): Error {
  return new Error(`the packed messages can't be read: the page at byte ${at} ${how}`);
}
