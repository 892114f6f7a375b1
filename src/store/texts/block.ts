import { crc32, inflateRawSync } from 'node:zlib';
import { firstIndex } from '../../text/first-index.ts';
import {
  type BlockHeader,
  type BlockPart,
  BREAK,
  ByteReader,
  CHUNK,
  CHUNK_BYTES,
  DENSE_SHARE,
  DOCUMENT_BYTES,
  DOCUMENT_FLAG,
  FIELD_BIT,
  GROUP,
  GROUP_BYTES,
  ID_BYTES,
  mayContain,
  NumberReader,
  PIECE_BYTES,
  USUAL_FIELDS,
} from './block-format.ts';
import type { BlockBuilder } from './build-block.ts';
import type { TextCondition } from './conditions.ts';
import { DocumentSet } from './document-set.ts';

/** The error for a block whose bytes are not those that were written. */
export class BlockDamaged extends Error {
  override readonly name = 'BlockDamaged';
}

/** Reads bytes of a block, or fewer at its end. */
export type ReadBlock = (at: number, length: number) => Promise<Buffer>;

/** Keeps some parts of blocks in memory. */
export interface PartCache {
  get(block: TextBlock, part: BlockPart): Buffer | undefined;
  set(block: TextBlock, part: BlockPart, bytes: Buffer): void;
}

/** The documents of a block that a search found. */
export interface BlockHits {
  /** Those whose texts meet every condition. */
  readonly sure: DocumentSet;
  /** Those without a prepared text, whose mails have to be read. */
  readonly unread: DocumentSet;
}

/** The parts that every search reads. */
const CACHED: ReadonlySet<BlockPart> = new Set<BlockPart>(['documents', 'dictionary', 'groups', 'chunks', 'pieces']);

/** The number of chunks or pieces from which a whole part is read at once. */
const MANY = 3;

/** A block of texts. A search of it finds exactly what a look at each document would find. */
export class TextBlock {
  readonly header: BlockHeader;
  readonly #read: ReadBlock;
  readonly #cache: PartCache;
  /** The documents without a prepared text, which never change. */
  #unread: DocumentSet | null = null;

  constructor(header: BlockHeader, read: ReadBlock, cache: PartCache) {
    this.header = header;
    this.#read = read;
    this.#cache = cache;
  }

  /** Returns the ids of the documents, each followed by its flags. Throws {@link BlockDamaged}. */
  documents(): Promise<Buffer> {
    return this.#part('documents');
  }

  /** Finds the documents among `wanted` that meet all conditions. Throws {@link BlockDamaged}. */
  async find(conditions: readonly TextCondition[], wanted: DocumentSet): Promise<BlockHits> {
    this.#unread ??= await this.#flagged(DOCUMENT_FLAG.unread);
    const unread = this.#unread.and(wanted);
    let sure = wanted.without(unread);
    for (const condition of conditions) {
      if (sure.isEmpty) break;
      const holders = await this.#holders(condition, sure);
      sure = condition.not ? sure.without(holders) : sure.and(holders);
    }
    return { sure, unread };
  }

  /** Adds the documents to a builder, without those of `gone`. Throws {@link BlockDamaged}. */
  async copyInto(builder: BlockBuilder, gone: ReadonlySet<string>): Promise<void> {
    const documents = await this.documents();
    // The dictionary begins with a line break.
    const tokens = (await this.#part('dictionary')).toString('utf8').split('\n').slice(1);
    const numbers = new Int32Array(this.header.tokens).fill(-1);
    const renumber = (token: number) => {
      const known = numbers[token] ?? -1;
      if (known >= 0) return known;
      const number = builder.number(tokens[token] ?? '');
      numbers[token] = number;
      return number;
    };
    for await (const { index, words } of this.#streams(DocumentSet.full(this.header.count))) {
      const id = documents.toString('latin1', index * DOCUMENT_BYTES, index * DOCUMENT_BYTES + ID_BYTES);
      if (!gone.has(id)) builder.addWords(id, documents[index * DOCUMENT_BYTES + ID_BYTES] ?? 0, words, renumber);
    }
  }

  /** Returns the documents for which a condition holds, apart from its negation. Only those of `wanted` matter. */
  async #holders(condition: TextCondition, wanted: DocumentSet): Promise<DocumentSet> {
    if (condition.kind === 'flag') return this.#flagged(condition.flag);
    if (condition.kind === 'header') return this.#withHeader(condition.name, condition.parts, wanted);
    const { parts, fields } = condition;
    const [part, second] = parts;
    // No stream is read for a part without spaces. An empty one is found in every text, so it takes the general way.
    return part !== undefined && part !== '' && second === undefined
      ? this.#having(await this.#tokens(part, fields), fields, wanted)
      : this.#withWords(parts, fields, wanted);
  }

  async #flagged(flag: number): Promise<DocumentSet> {
    const documents = await this.documents();
    const found = new DocumentSet(this.header.count);
    for (let index = 0; index < this.header.count; index++)
      if (((documents[index * DOCUMENT_BYTES + ID_BYTES] ?? 0) & flag) !== 0) found.add(index);
    return found;
  }

  /** Finds the documents with a text that contains the parts, one behind the other with a space in between. */
  async #withWords(parts: readonly string[], fields: number, wanted: DocumentSet): Promise<DocumentSet> {
    const row = await this.#rowOf(parts, fields, wanted);
    if (row === null) return new DocumentSet(this.header.count);
    return this.#scan(row.candidates, (words) =>
      someText(words, fields, (from, end) => hasRow(words, from, end, row.tokens)),
    );
  }

  /** Finds the documents with a header field of this name whose value contains the parts. */
  async #withHeader(name: string, parts: readonly string[], wanted: DocumentSet): Promise<DocumentSet> {
    const fields = FIELD_BIT.header;
    const none = new DocumentSet(this.header.count);
    const [first] = await this.#tokens(`\n${name}:\n`, fields);
    if (first === undefined) return none;
    const named = (await this.#having([first], fields, wanted)).and(wanted);
    // An empty text admits any value, also none.
    const row = parts.join('') === '' ? { tokens: [], candidates: named } : await this.#rowOf(parts, fields, named);
    if (row === null) return none;
    return this.#scan(row.candidates, (words) =>
      someText(words, fields, (from, end) => words[from] === first && hasRow(words, from + 1, end, row.tokens)),
    );
  }

  /** Returns the tokens that fit each part, and the documents that have one for each. Null if there are none. */
  async #rowOf(parts: readonly string[], fields: number, wanted: DocumentSet): Promise<Row | null> {
    let candidates = wanted;
    const tokens: (Uint8Array | null)[] = [];
    for (const [index, part] of parts.entries()) {
      const isFirst = index === 0;
      const isLast = index === parts.length - 1;
      // An empty part at an end of the row fits every token.
      if (part === '' && (isFirst || isLast)) {
        tokens.push(null);
        continue;
      }
      const found = [...(await this.#tokens(`${isFirst ? '' : '\n'}${part}${isLast ? '' : '\n'}`, fields))];
      if (found.length === 0) return null;
      const set = new Uint8Array(this.header.tokens);
      for (const token of found) set[token] = 1;
      tokens.push(set);
      candidates = candidates.and(await this.#having(found, fields, candidates));
      if (candidates.isEmpty) return null;
    }
    return { tokens, candidates };
  }

  /** Lists the tokens in which a pattern occurs, in their order. It may begin and end with a break between tokens. */
  async #tokens(pattern: string, fields: number): Promise<Iterable<number>> {
    const dictionary = await this.#part('dictionary');
    const groups = await this.#part('groups');
    return occurrences(dictionary, groups, this.header.sections, Buffer.from(pattern), fields);
  }

  /** Returns the documents that have one of the tokens in one of the fields. It ends once they are all of `wanted`. */
  async #having(tokens: Iterable<number>, fields: number, wanted: DocumentSet): Promise<DocumentSet> {
    const found = new DocumentSet(this.header.count);
    let postings: Postings | null = null;
    let read = this.#read;
    let chunks = 0;
    for (const token of tokens) {
      const chunk = Math.floor(token / CHUNK);
      if (postings?.chunk !== chunk) {
        if (postings !== null && found.hasAll(wanted)) break;
        if (++chunks === MANY) read = await this.#readWhole('postings');
        postings = await this.#postings(chunk, read);
      }
      postings.add(token, fields, found);
    }
    return found;
  }

  /** Reads the postings of one chunk of tokens. */
  async #postings(chunk: number, read: ReadBlock): Promise<Postings> {
    const chunks = await this.#part('chunks');
    const { at, length } = this.header.parts.postings;
    const next = (chunk + 1) * CHUNK_BYTES;
    const from = chunks.readUInt32LE(chunk * CHUNK_BYTES);
    const end = next < chunks.length ? chunks.readUInt32LE(next) : length;
    const deflated = await checked(read, at + from, end - from, chunks.readUInt32LE(chunk * CHUNK_BYTES + 4));
    return new Postings(inflateRawSync(deflated), chunk, this.header.count);
  }

  /** Reads a part at once, because its pieces one by one take longer. The checksums of its pieces are verified later. */
  async #readWhole(name: BlockPart): Promise<ReadBlock> {
    const { at, length } = this.header.parts[name];
    const bytes = await this.#read(at, length);
    return async (from, some) => bytes.subarray(from - at, from - at + some);
  }

  /** Returns those of the candidates whose words a test accepts. */
  async #scan(candidates: DocumentSet, accepts: (words: Int32Array) => boolean): Promise<DocumentSet> {
    const found = new DocumentSet(this.header.count);
    for await (const { index, words } of this.#streams(candidates)) if (accepts(words)) found.add(index);
    return found;
  }

  /** Yields the words of documents, in their order. They are valid until the next step. */
  async *#streams(wanted: DocumentSet): AsyncGenerator<{ readonly index: number; readonly words: Int32Array }> {
    const pieces = await this.#part('pieces');
    const { streams } = this.header.parts;
    let scratch = new Int32Array(4_096);
    let read = this.#read;
    let count = 0;
    for (let at = 0; at < pieces.length; at += PIECE_BYTES) {
      const next = at + PIECE_BYTES;
      const isLast = next >= pieces.length;
      const first = pieces.readUInt32LE(at);
      const end = isLast ? this.header.count : pieces.readUInt32LE(next);
      if (!wanted.hasBetween(first, end)) continue;
      const from = pieces.readUInt32LE(at + 4);
      const length = (isLast ? streams.length : pieces.readUInt32LE(next + 4)) - from;
      const leads = pieces.readUInt32LE(at + 8);
      if (++count === MANY) read = await this.#readWhole('streams');
      const deflated = await checked(read, streams.at + from, length, pieces.readUInt32LE(at + 12));
      const reader = new NumberReader(
        inflateRawSync(deflated.subarray(0, leads)),
        inflateRawSync(deflated.subarray(leads)),
      );
      for (let index = first; index < end; index++) {
        const numbers = reader.number();
        if (numbers > scratch.length) scratch = new Int32Array(numbers);
        for (let i = 0; i < numbers; i++) scratch[i] = reader.number();
        if (wanted.has(index)) yield { index, words: scratch.subarray(0, numbers) };
      }
    }
  }

  async #part(name: BlockPart): Promise<Buffer> {
    const kept = this.#cache.get(this, name);
    if (kept !== undefined) return kept;
    const { at, length, checksum } = this.header.parts[name];
    const bytes = await checked(this.#read, at, length, checksum);
    if (CACHED.has(name)) this.#cache.set(this, name, bytes);
    return bytes;
  }
}

async function checked(read: ReadBlock, at: number, length: number, checksum: number): Promise<Buffer> {
  const bytes = await read(at, length);
  if (bytes.length !== length || crc32(bytes) !== checksum)
    throw new BlockDamaged(`the bytes from ${at} to ${at + length} fail their checksum`);
  return bytes;
}

/** Parts that follow each other in a text. */
interface Row {
  /** The tokens that fit each part, as a set. Null stands for every token. */
  readonly tokens: readonly (Uint8Array | null)[];
  /** The documents that have a token for each part. */
  readonly candidates: DocumentSet;
}

/** Yields the tokens in which a pattern occurs, each once. */
function* occurrences(
  dictionary: Buffer,
  groups: Buffer,
  sections: readonly number[],
  wanted: Buffer,
  fields: number,
): Generator<number, void, void> {
  const cursor = new TokenCursor(dictionary, groups);
  // The break before its first token belongs to each section, too.
  let begin = 0;
  for (const [section, end] of sections.entries()) {
    const tokens = dictionary.subarray(begin, end);
    for (let at = mayContain(section, fields) ? tokens.indexOf(wanted) : -1; at >= 0; ) {
      const inToken = wanted[0] === BREAK ? at + 1 : at;
      yield cursor.tokenAt(begin + inToken);
      at = tokens.indexOf(wanted, tokens.indexOf(BREAK, inToken));
    }
    begin = end - 1;
  }
}

/** Finds the number of the token at a position of a dictionary. The positions it is asked for ascend. */
class TokenCursor {
  readonly #dictionary: Buffer;
  readonly #groups: Buffer;
  #token = 0;
  #at = 1;

  constructor(dictionary: Buffer, groups: Buffer) {
    this.#dictionary = dictionary;
    this.#groups = groups;
  }

  tokenAt(position: number): number {
    this.#skipGroups(position);
    for (;;) {
      const end = this.#dictionary.indexOf(BREAK, this.#at);
      if (end < 0 || end >= position) return this.#token;
      this.#token++;
      this.#at = end + 1;
    }
  }

  #skipGroups(position: number): void {
    const current = Math.floor(this.#token / GROUP);
    const behind = this.#groups.length / GROUP_BYTES - current - 1;
    const startOf = (group: number) => this.#groups.readUInt32LE(group * GROUP_BYTES);
    const group = current + firstIndex(behind, (at) => startOf(current + 1 + at) > position);
    if (group === current) return;
    this.#token = group * GROUP;
    this.#at = startOf(group);
  }
}

/** The documents of the tokens of one chunk, which are asked for in the order of their tokens. */
class Postings {
  readonly chunk: number;
  readonly #reader: ByteReader;
  readonly #documents: number;
  #next: number;

  constructor(bytes: Uint8Array, chunk: number, documents: number) {
    this.chunk = chunk;
    this.#reader = new ByteReader(bytes);
    this.#documents = documents;
    this.#next = chunk * CHUNK;
  }

  /** Adds the documents that have a token in one of the fields. */
  add(token: number, fields: number, into: DocumentSet): void {
    while (this.#next < token) this.#read(0, into);
    this.#read(fields, into);
  }

  #read(fields: number, into: DocumentSet): void {
    this.#next++;
    const reader = this.#reader;
    const head = reader.varint();
    const form = head & 3;
    const count = (head >>> 2) + 1;
    if (form < 3) {
      this.#readList(((USUAL_FIELDS[form] ?? reader.varint()) & fields) !== 0, count, into);
      return;
    }
    for (let sets = count; sets > 0; sets--) this.#readList((reader.varint() & fields) !== 0, reader.varint(), into);
  }

  #readList(isWanted: boolean, count: number, into: DocumentSet): void {
    const reader = this.#reader;
    if (count * DENSE_SHARE > this.#documents) {
      if (isWanted) into.addBits(reader.bytes, reader.at);
      reader.at += (this.#documents + 7) >> 3;
      return;
    }
    let index = -1;
    for (let left = count; left > 0; left--) {
      index += reader.varint() + 1;
      if (isWanted) into.add(index);
    }
  }
}

/** Tells whether a test accepts the place of one of the texts of these fields. */
function someText(words: Int32Array, fields: number, accepts: (from: number, end: number) => boolean): boolean {
  for (let at = 0; at < words.length; ) {
    const isWanted = (fields & (1 << (words[at++] ?? 0))) !== 0;
    for (let texts = words[at++] ?? 0; texts > 0; texts--) {
      const end = at + 1 + (words[at] ?? 0);
      if (isWanted && accepts(at + 1, end)) return true;
      at = end;
    }
  }
  return false;
}

/** Tells whether tokens that fit the sets follow each other between two places. */
function hasRow(words: Int32Array, from: number, end: number, tokens: Row['tokens']): boolean {
  for (let at = from; at + tokens.length <= end; at++) {
    let place = 0;
    for (; place < tokens.length; place++) {
      const set = tokens[place];
      if (set != null && set[words[at + place] ?? 0] !== 1) break;
    }
    if (place === tokens.length) return true;
  }
  return false;
}
