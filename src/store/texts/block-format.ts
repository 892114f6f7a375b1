import { crc32 } from 'node:zlib';
import { type DocumentField, SEARCH_FIELDS } from '../../domain/search/document.ts';

// The layout of a text block, which README.md describes byte by byte. A block never changes once it is written.

const MAGIC = 'mctexts\n';
const FORMAT = 1;
/** The parts of a block, in their order in the file. */
export const PARTS = ['documents', 'dictionary', 'groups', 'chunks', 'postings', 'pieces', 'streams'] as const;
export type BlockPart = (typeof PARTS)[number];

const AT = {
  format: 8,
  store: 12,
  after: 20,
  last: 46,
  count: 72,
  tokens: 76,
  words: 80,
  sections: 84,
  parts: 100,
} as const;
const CHECKSUM_AT = AT.parts + PARTS.length * 8;
export const HEADER_BYTES = CHECKSUM_AT + 4;

export const ID_BYTES = 26;
/** The bytes of a document in the part `documents`: its id and its flags. */
export const DOCUMENT_BYTES = ID_BYTES + 1;
/** The number of tokens in a group, and the bytes of a group in the part `groups`. */
export const GROUP = 32;
export const GROUP_BYTES = 4;
/** The number of tokens whose postings are deflated together, and the bytes of such a chunk in the part `chunks`. */
export const CHUNK = 1_024;
export const CHUNK_BYTES = 8;
/** The bytes of a piece of the streams in the part `pieces`. */
export const PIECE_BYTES = 16;
/** A list with more than one in this many documents is written as a bit for each document. */
export const DENSE_SHARE = 8;
/** The byte before and behind each token in the dictionary. No folded text contains it. */
export const BREAK = 10;

/** What a document says besides its texts. `unread` marks a message whose text was not prepared. */
export const DOCUMENT_FLAG = { code: 1, link: 2, inline: 4, html: 8, unread: 16 } as const;

/** The fields as bits of a set. */
export const FIELD_BIT: Readonly<Record<DocumentField, number>> = bitsOf(SEARCH_FIELDS);

function bitsOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  // The cast is safe: each name gets its bit.
  return Object.fromEntries(names.map((name, index) => [name, 1 << index])) as Record<Name, number>;
}

/**
 * The number of sections of a dictionary: tokens that many documents have, then tokens in the head of a mail, tokens of
 * bodies, and tokens that only header fields have. A search reads only the sections that may have what it looks for.
 */
const SECTIONS = 4;
const { body: BODY, header: HEADER } = FIELD_BIT;
/** The sets of fields that most tokens have. The postings name them by their positions here. */
export const USUAL_FIELDS: readonly number[] = [BODY, HEADER];

/** Returns the section of a token by the set of its fields. */
export function sectionOf(fields: number, isFrequent: boolean): number {
  if (isFrequent) return 0;
  if ((fields & ~(BODY | HEADER)) !== 0) return 1;
  return (fields & BODY) !== 0 ? 2 : 3;
}

/** Tells whether a section may have tokens of any of these fields. */
export function mayContain(section: number, fields: number): boolean {
  if (section < 2) return true;
  return (fields & (section === 2 ? BODY | HEADER : HEADER)) !== 0;
}

/** The place of a part in the file, with its checksum. */
export interface BlockPartPlace {
  readonly at: number;
  readonly length: number;
  readonly checksum: number;
}

/** What the header of a block says. */
export interface BlockHeader {
  /** The block has every message with an id above `after`, up to and including `last`. '' is before all ids. */
  readonly after: string;
  readonly last: string;
  /** The number of its documents. */
  readonly count: number;
  readonly tokens: number;
  /** The number of numbers in its streams. */
  readonly words: number;
  /** The end of each section in the dictionary. */
  readonly sections: readonly number[];
  readonly parts: Readonly<Record<BlockPart, BlockPartPlace>>;
  /** The length of the whole block. */
  readonly bytes: number;
}

/** Returns the bytes of a block, in order. `store` is the id of the store: eight bytes in hexadecimal. */
export function writeBlock(
  store: string,
  facts: Pick<BlockHeader, 'after' | 'last' | 'count' | 'tokens' | 'words' | 'sections'>,
  parts: Readonly<Record<BlockPart, Buffer>>,
): Buffer[] {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(FORMAT, AT.format);
  header.write(store, AT.store, 'hex');
  header.write(facts.after, AT.after, 'latin1');
  header.write(facts.last, AT.last, 'latin1');
  header.writeUInt32LE(facts.count, AT.count);
  header.writeUInt32LE(facts.tokens, AT.tokens);
  header.writeUInt32LE(facts.words, AT.words);
  for (const [index, end] of facts.sections.entries()) header.writeUInt32LE(end, AT.sections + 4 * index);
  for (const [index, name] of PARTS.entries()) {
    header.writeUInt32LE(parts[name].length, AT.parts + 8 * index);
    header.writeUInt32LE(crc32(parts[name]), AT.parts + 8 * index + 4);
  }
  header.writeUInt32LE(crc32(header.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return [header, ...PARTS.map((name) => parts[name])];
}

/** Reads the header of a block of this store. Returns null if it is damaged, or belongs to another store or format. */
export function readBlockHeader(store: string, header: Buffer): BlockHeader | null {
  if (header.length < HEADER_BYTES || crc32(header.subarray(0, CHECKSUM_AT)) !== header.readUInt32LE(CHECKSUM_AT))
    return null;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC || header.readUInt32LE(AT.format) !== FORMAT) return null;
  if (header.toString('hex', AT.store, AT.store + 8) !== store) return null;
  const idAt = (at: number) => header.toString('latin1', at, at + ID_BYTES).replaceAll('\0', '');
  const parts: Partial<Record<BlockPart, BlockPartPlace>> = {};
  let at = HEADER_BYTES;
  for (const [index, name] of PARTS.entries()) {
    const length = header.readUInt32LE(AT.parts + 8 * index);
    parts[name] = { at, length, checksum: header.readUInt32LE(AT.parts + 8 * index + 4) };
    at += length;
  }
  return {
    after: idAt(AT.after),
    last: idAt(AT.last),
    count: header.readUInt32LE(AT.count),
    tokens: header.readUInt32LE(AT.tokens),
    words: header.readUInt32LE(AT.words),
    sections: Array.from({ length: SECTIONS }, (_, index) => header.readUInt32LE(AT.sections + 4 * index)),
    // The cast is safe: the loop set each part.
    parts: parts as Record<BlockPart, BlockPartPlace>,
    bytes: at,
  };
}

/** Bytes that grow at their end. */
export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(16 * 1024);
  length = 0;

  /** Appends a number below 2 ** 31 in seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(5);
    const bytes = this.#bytes;
    let rest = value;
    while (rest > 127) {
      bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.length++] = rest;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  append(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.length);
    this.length += part.length;
  }

  /** Appends a text in UTF-8. */
  text(text: string): void {
    this.#reserve(text.length * 3);
    this.length += this.#bytes.write(text, this.length, 'utf8');
  }

  /** Returns the bytes from a position on. They are valid until the next change. */
  since(from: number): Buffer {
    return this.#bytes.subarray(from, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  /** Returns a copy of the bytes. */
  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.length));
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + more));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
  }
}

// The numbers of a stream are written in two rows of bytes, because each row alone deflates better: the leads, and what
// follows a lead.
const ONE_BYTE = 128;
const TWO_BYTES = 240;
const THREE_BYTES = 255;
const TWO_FROM = ONE_BYTE;
const THREE_FROM = TWO_FROM + (TWO_BYTES - ONE_BYTE) * 256;
const FOUR_FROM = THREE_FROM + (THREE_BYTES - TWO_BYTES) * 65_536;

/** Writes the numbers of streams. */
export class NumberWriter {
  readonly leads = new ByteWriter();
  readonly rests = new ByteWriter();

  number(value: number): void {
    const { leads, rests } = this;
    if (value < TWO_FROM) leads.byte(value);
    else if (value < THREE_FROM) {
      leads.byte(ONE_BYTE + ((value - TWO_FROM) >> 8));
      rests.byte(value - TWO_FROM);
    } else if (value < FOUR_FROM) {
      leads.byte(TWO_BYTES + ((value - THREE_FROM) >> 16));
      rests.byte((value - THREE_FROM) >> 8);
      rests.byte(value - THREE_FROM);
    } else {
      leads.byte(THREE_BYTES);
      for (const shift of [16, 8, 0]) rests.byte((value - FOUR_FROM) >> shift);
    }
  }

  clear(): void {
    this.leads.clear();
    this.rests.clear();
  }
}

/** Reads what a {@link NumberWriter} wrote. Behind the end it reads zeros. */
export class NumberReader {
  readonly #leads: Uint8Array;
  readonly #rests: Uint8Array;
  #lead = 0;
  #rest = 0;

  constructor(leads: Uint8Array, rests: Uint8Array) {
    this.#leads = leads;
    this.#rests = rests;
  }

  number(): number {
    const lead = this.#leads[this.#lead++] ?? 0;
    if (lead < ONE_BYTE) return lead;
    if (lead < TWO_BYTES) return TWO_FROM + ((lead - ONE_BYTE) << 8) + this.#next();
    if (lead < THREE_BYTES) return THREE_FROM + ((lead - TWO_BYTES) << 16) + (this.#next() << 8) + this.#next();
    return FOUR_FROM + (this.#next() << 16) + (this.#next() << 8) + this.#next();
  }

  #next(): number {
    return this.#rests[this.#rest++] ?? 0;
  }
}

/** Reads what a {@link ByteWriter} wrote. Behind the end it reads zeros. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] ?? 0;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
    }
    return value >>> 0;
  }
}
