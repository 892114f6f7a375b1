import { setImmediate } from 'node:timers/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { SEARCH_FIELDS, type SearchDocument } from '../../domain/search/document.ts';
import {
  type BlockHeader,
  BREAK,
  ByteWriter,
  CHUNK,
  CHUNK_BYTES,
  DENSE_SHARE,
  DOCUMENT_BYTES,
  DOCUMENT_FLAG,
  GROUP,
  GROUP_BYTES,
  ID_BYTES,
  NumberWriter,
  PIECE_BYTES,
  sectionOf,
  USUAL_FIELDS,
  writeBlock,
} from './block-format.ts';

/** A token counts as frequent if one in this many documents has it. */
const FREQUENT_SHARE = 16;
/** The bytes of streams that are deflated together. A search for several words inflates them together too. */
const PIECE = 32 * 1024;
/** The work, in numbers, after which a build lets searches run. */
const TURN = 100_000;
/** The numbers of a sort key: section, documents, token. */
const TOKENS = 2 ** 26;
const DOCUMENTS = 2 ** 16;

interface Built {
  readonly id: string;
  readonly flags: number;
  /**
   * The words as numbers: for each field with texts its number and the number of texts, then for each text the number of
   * its tokens and the tokens. This is also the form of a stream.
   */
  readonly words: Int32Array;
}

/** Collects documents in the order of their ids, and makes a block of them. */
export class BlockBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #tokens: string[] = [];
  readonly #documents: Built[] = [];

  #words = 0;

  get count(): number {
    return this.#documents.length;
  }

  /** Adds the document of a message. With null, searches read the mail. */
  add(id: string, document: SearchDocument | null): void {
    const words = document === null ? null : this.#wordsOf(document);
    if (document === null || words === null) this.#push({ id, flags: DOCUMENT_FLAG.unread, words: NO_WORDS });
    else this.#push({ id, flags: flagsOf(document), words: Int32Array.from(words) });
  }

  /** Adds a document of another block. `renumber` returns this builder's number of a token of that block. */
  addWords(id: string, flags: number, words: Int32Array, renumber: (token: number) => number): void {
    this.#push({ id, flags, words: renumbered(words, renumber) });
  }

  #push(document: Built): void {
    this.#documents.push(document);
    this.#words += document.words.length;
  }

  /** Returns the number of a token. */
  number(token: string): number {
    let number = this.#numbers.get(token);
    if (number === undefined) {
      number = this.#tokens.length;
      this.#numbers.set(token, number);
      this.#tokens.push(token);
    }
    return number;
  }

  /** Returns the numbers of a document's words. Null if a text can't be in a dictionary. */
  #wordsOf({ texts }: SearchDocument): number[] | null {
    const words: number[] = [];
    for (const [field, name] of SEARCH_FIELDS.entries()) {
      const all = texts[name];
      if (all.length === 0) continue;
      words.push(field, all.length);
      for (const text of all) {
        if (text.includes('\n') || LONE_SURROGATE.test(text)) return null;
        const tokens = text.split(' ');
        words.push(tokens.length);
        for (const token of tokens) words.push(this.number(token));
      }
    }
    return words;
  }

  /** Returns the bytes of the block, which covers a range of ids. It yields to other work of the thread. `level` is that of zlib. */
  async finish(store: string, range: Pick<BlockHeader, 'after' | 'last'>, level: number): Promise<Buffer[]> {
    const documents = this.#documents;
    const turn = takeTurns();
    const facts = await this.#count(turn);
    const { order, sections } = this.#order(facts);
    const numbers = new Int32Array(this.#tokens.length);
    for (const [number, token] of order.entries()) numbers[token] = number;
    await turn(order.length);
    const { dictionary, groups } = this.#dictionary(order, sections);
    await turn(order.length);
    const lists = await this.#lists(numbers, facts.counts, turn);
    const { chunks, postings } = await writePostings(lists, order.length, documents.length, level, turn);
    const { pieces, streams } = await this.#streams(numbers, level, turn);
    const own = Buffer.alloc(documents.length * DOCUMENT_BYTES);
    for (const [index, { id, flags }] of documents.entries()) {
      own.write(id, index * DOCUMENT_BYTES, 'latin1');
      own[index * DOCUMENT_BYTES + ID_BYTES] = flags;
    }
    return writeBlock(
      store,
      {
        ...range,
        count: documents.length,
        tokens: order.length,
        words: this.#words,
        sections: sections.map(({ end }) => end),
      },
      { documents: own, dictionary, groups, chunks, postings, pieces, streams },
    );
  }

  /** Counts the documents of each token, and collects its fields. */
  async #count(turn: Turn): Promise<TokenFacts> {
    const counts = new Int32Array(this.#tokens.length);
    const fields = new Int32Array(this.#tokens.length);
    const seen = new Int32Array(this.#tokens.length).fill(-1);
    for (const [index, { words }] of this.#documents.entries()) {
      eachWord(words, (token, field) => {
        if (seen[token] !== index) {
          seen[token] = index;
          counts[token] = (counts[token] ?? 0) + 1;
        }
        fields[token] = (fields[token] ?? 0) | (1 << field);
      });
      const pause = turn(words.length);
      if (pause !== undefined) await pause;
    }
    return { counts, fields };
  }

  /** Returns the used tokens section by section, each with the tokens of most documents first. */
  #order({ counts, fields }: TokenFacts): { order: Int32Array; sections: Section[] } {
    const frequent = this.#documents.length / FREQUENT_SHARE;
    const keys = new Float64Array(this.#tokens.length);
    let used = 0;
    for (const [token, count] of counts.entries()) {
      if (count === 0) continue;
      const section = sectionOf(fields[token] ?? 0, count > frequent);
      keys[used++] = (section * DOCUMENTS + (DOCUMENTS - 1 - count)) * TOKENS + token;
    }
    const sorted = keys.subarray(0, used).sort();
    const sections: Section[] = [0, 1, 2, 3].map(() => ({ tokens: 0, end: 0 }));
    const order = new Int32Array(used);
    for (const [number, key] of sorted.entries()) {
      order[number] = key % TOKENS;
      const section = sections[Math.floor(key / TOKENS / DOCUMENTS)];
      if (section !== undefined) section.tokens++;
    }
    return { order, sections };
  }

  /** Writes the tokens, each between two line breaks, and notes where each group and each section lies. */
  #dictionary(order: Int32Array, sections: readonly Section[]): { dictionary: Buffer; groups: Buffer } {
    const bytes = new ByteWriter();
    bytes.append(LINE_BREAK);
    const groups = Buffer.alloc(Math.ceil(order.length / GROUP) * GROUP_BYTES);
    let number = 0;
    for (const section of sections) {
      for (const until = number + section.tokens; number < until; number++) {
        if (number % GROUP === 0) groups.writeUInt32LE(bytes.length, (number / GROUP) * GROUP_BYTES);
        bytes.text(this.#tokens[order[number] ?? 0] ?? '');
        bytes.append(LINE_BREAK);
      }
      section.end = bytes.length;
    }
    return { dictionary: bytes.copy(), groups };
  }

  /** Lists the documents of each token with the fields in which they have it. */
  async #lists(numbers: Int32Array, counts: Int32Array, turn: Turn): Promise<PostingLists> {
    const starts = new Int32Array(counts.length + 1);
    const ofNumber = new Int32Array(counts.length);
    for (const [token, count] of counts.entries()) if (count > 0) ofNumber[numbers[token] ?? 0] = count;
    for (const [number, count] of ofNumber.entries()) starts[number + 1] = (starts[number] ?? 0) + count;
    const total = starts[counts.length] ?? 0;
    const of = new Int32Array(total);
    const fields = new Int32Array(total);
    const filled = starts.slice();
    const seen = new Int32Array(counts.length).fill(-1);
    for (const [index, { words }] of this.#documents.entries()) {
      eachWord(words, (token, field) => {
        const number = numbers[token] ?? 0;
        if (seen[number] !== index) {
          seen[number] = index;
          const at = filled[number] ?? 0;
          filled[number] = at + 1;
          of[at] = index;
          fields[at] = 0;
        }
        const at = (filled[number] ?? 0) - 1;
        fields[at] = (fields[at] ?? 0) | (1 << field);
      });
      const pause = turn(words.length);
      if (pause !== undefined) await pause;
    }
    return { starts, of, fields };
  }

  /** Writes the words of each document, and deflates them in pieces. */
  async #streams(numbers: Int32Array, level: number, turn: Turn): Promise<{ pieces: Buffer; streams: Buffer }> {
    const pieces: Buffer[] = [];
    const streams = new ByteWriter();
    const raw = new NumberWriter();
    let first = 0;
    for (const [index, { words }] of this.#documents.entries()) {
      raw.number(words.length);
      for (const number of renumbered(words, (token) => numbers[token] ?? 0)) raw.number(number);
      if (raw.leads.length < PIECE && index < this.#documents.length - 1) continue;
      const leads = deflateRawSync(raw.leads.since(0), { level });
      const rests = deflateRawSync(raw.rests.since(0), { level });
      const piece = Buffer.alloc(PIECE_BYTES);
      piece.writeUInt32LE(first, 0);
      piece.writeUInt32LE(streams.length, 4);
      piece.writeUInt32LE(leads.length, 8);
      streams.append(leads);
      streams.append(rests);
      piece.writeUInt32LE(crc32(streams.since(piece.readUInt32LE(4))), 12);
      pieces.push(piece);
      raw.clear();
      first = index + 1;
      await turn(TURN);
    }
    return { pieces: Buffer.concat(pieces), streams: streams.copy() };
  }
}

const NO_WORDS = new Int32Array(0);
const LINE_BREAK = Buffer.of(BREAK);
/** Half a character, which has no form in UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function flagsOf({ hasCode, hasLink, hasInline, hasHtml }: SearchDocument): number {
  return (
    (hasCode ? DOCUMENT_FLAG.code : 0) |
    (hasLink ? DOCUMENT_FLAG.link : 0) |
    (hasInline ? DOCUMENT_FLAG.inline : 0) |
    (hasHtml ? DOCUMENT_FLAG.html : 0)
  );
}

/** For each token, by its first number: the number of its documents, and the set of its fields. */
interface TokenFacts {
  readonly counts: Int32Array;
  readonly fields: Int32Array;
}

interface Section {
  tokens: number;
  end: number;
}

/** The documents of each token: those from `starts[token]` up to `starts[token + 1]`. */
interface PostingLists {
  readonly starts: Int32Array;
  readonly of: Int32Array;
  readonly fields: Int32Array;
}

/** Counts work, and lets others run when it is enough for one turn. */
type Turn = (work: number) => Promise<void> | undefined;

function takeTurns(): Turn {
  let done = 0;
  return (work) => {
    done += work;
    if (done < TURN) return undefined;
    done = 0;
    return setImmediate();
  };
}

function eachWord(words: Int32Array, tell: (token: number, field: number) => void): void {
  for (let at = 0; at < words.length; ) {
    const field = words[at++] ?? 0;
    for (let texts = words[at++] ?? 0; texts > 0; texts--) {
      for (let tokens = words[at++] ?? 0; tokens > 0; tokens--) tell(words[at++] ?? 0, field);
    }
  }
}

/** Returns a copy of words with other numbers of tokens. */
function renumbered(words: Int32Array, numberOf: (token: number) => number): Int32Array {
  const copy = words.slice();
  for (let at = 0; at < copy.length; ) {
    let texts = copy[at + 1] ?? 0;
    at += 2;
    for (; texts > 0; texts--) {
      const end = at + 1 + (copy[at] ?? 0);
      for (at++; at < end; at++) copy[at] = numberOf(copy[at] ?? 0);
    }
  }
  return copy;
}

/** Writes the documents of all tokens in chunks, and the place and checksum of each chunk. */
async function writePostings(
  { starts, of, fields }: PostingLists,
  tokens: number,
  documents: number,
  level: number,
  turn: Turn,
): Promise<{ chunks: Buffer; postings: Buffer }> {
  const chunks = Buffer.alloc(Math.ceil(tokens / CHUNK) * CHUNK_BYTES);
  const postings = new ByteWriter();
  const raw = new ByteWriter();
  for (let token = 0; token < tokens; token++) {
    const from = starts[token] ?? 0;
    const end = starts[token + 1] ?? 0;
    writeToken(raw, of.subarray(from, end), fields.subarray(from, end), documents);
    if (token % CHUNK === CHUNK - 1 || token === tokens - 1) {
      const deflated = deflateRawSync(raw.since(0), { level });
      const at = Math.floor(token / CHUNK) * CHUNK_BYTES;
      chunks.writeUInt32LE(postings.length, at);
      chunks.writeUInt32LE(crc32(deflated), at + 4);
      postings.append(deflated);
      raw.clear();
    }
    const pause = turn(end - from);
    if (pause !== undefined) await pause;
  }
  return { chunks, postings: postings.copy() };
}

/** Writes the documents of a token, one list for each set of fields in which they have it. */
function writeToken(bytes: ByteWriter, list: Int32Array, fields: Int32Array, documents: number): void {
  const sets = new Set(fields);
  const [only = 0] = sets;
  if (sets.size === 1) {
    const usual = USUAL_FIELDS.indexOf(only);
    bytes.varint((list.length - 1) * 4 + (usual < 0 ? 2 : usual));
    if (usual < 0) bytes.varint(only);
    writeList(bytes, list, documents);
    return;
  }
  bytes.varint((sets.size - 1) * 4 + 3);
  for (const set of sets) {
    const some = list.filter((_, index) => fields[index] === set);
    bytes.varint(set);
    bytes.varint(some.length);
    writeList(bytes, some, documents);
  }
}

function writeList(bytes: ByteWriter, list: Int32Array, documents: number): void {
  if (list.length * DENSE_SHARE > documents) {
    const bits = Buffer.alloc((documents + 7) >> 3);
    for (const index of list) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
    bytes.append(bits);
    return;
  }
  let before = -1;
  for (const index of list) {
    bytes.varint(index - before - 1);
    before = index;
  }
}
