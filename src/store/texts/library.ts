import type { SearchDocument } from '../../domain/search/document.ts';
import { firstIndex } from '../../text/first-index.ts';
import { getOrCreate } from '../../text/maps.ts';
import { ULID_DIGITS } from '../../text/ulid-digits.ts';
import { BlockDamaged, type PartCache, TextBlock } from './block.ts';
import { type BlockPart, DOCUMENT_BYTES, HEADER_BYTES, ID_BYTES, readBlockHeader } from './block-format.ts';
import { BlockBuilder } from './build-block.ts';
import type { TextCondition } from './conditions.ts';
import { DocumentSet } from './document-set.ts';
import type { KeptBlock, Shelf } from './shelf.ts';

/** A range of ids in which every message has a prepared text, or is known to have none. */
export interface Cover {
  /** The range is above this id. '' is before all ids. */
  readonly after: string;
  /** The last id of the range. */
  readonly last: string;
  /** The number of prepared messages in it. */
  readonly count: number;
}

/** A message with its text. With null, searches read the mail. */
export interface AddedText {
  readonly id: string;
  readonly document: SearchDocument | null;
}

export interface FindRequest {
  readonly conditions: readonly TextCondition[];
  /** Finds only messages older than this one. Null: from the newest on. */
  readonly before: string | null;
  /** The number of hits after which an answer ends. It has fewer if they take long. */
  readonly enough: number;
  /** Finds only these messages: their ids in order, 26 bytes each. Null: all. */
  readonly only: Uint8Array | null;
}

/** A part of an answer. It covers the ids below the stretch before it, down to `downTo` and above `after`. */
export interface LibraryStretch {
  /** The stretch covers the ids above this one. '' is before all ids. */
  readonly after: string;
  /** The ids found, the newest first, in one text of 26 characters each. Null: nothing of the stretch is prepared. */
  readonly ids: string | null;
  /** The positions in `ids` of messages without a prepared text. */
  readonly unread: readonly number[];
}

export interface FindReply {
  readonly stretches: readonly LibraryStretch[];
  readonly isEnd: boolean;
  readonly covers: readonly Cover[];
}

/** The numbers of documents from which blocks are merged. The last one is the size of a full block. */
const TIERS = [128, 1_024, 4_096];
/** Blocks below this size change soon, so their streams are deflated quickly. */
const LASTING = 1_024;
/**
 * The numbers and characters up to which documents are put into one block, which bounds memory. A mail may repeat one
 * letter half a million times.
 */
const MOST_WORDS = 8_000_000;
const MOST_CHARACTERS = 4_000_000;
/** The bytes of parts that stay in memory. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** The number of blocks searched at a time, so that one is read while another is searched. */
const AT_A_TIME = 4;
/** The time in milliseconds for writing blocks anew without removed messages. The rest of them are removed. */
const ERASE_MS = 20_000;
/** One answer has about this many hits, or took about this many milliseconds. */
export const MOST_HITS = 4_096;
const MOST_MS = 50;

interface Held {
  readonly block: TextBlock;
  readonly kept: KeptBlock;
}

/** The result of a search in a block that was merged or damaged meanwhile. */
const REPLACED = 'replaced';
const DAMAGED = 'damaged';

/**
 * The blocks of a store, in the order of their ids. It adds blocks, merges small ones, searches all, and writes those
 * anew of which messages were removed. Changes run one after the other; searches run at any time.
 */
export class TextLibrary {
  readonly #shelf: Shelf;
  readonly #tiers: readonly number[];
  readonly #cache = new BoundedCache();
  /** In the order of their ids. No two cover the same id. */
  #blocks: readonly Held[] = [];
  /** Removed messages whose texts may still be in a block. */
  readonly #gone = new Set<string>();
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(shelf: Shelf, tiers: readonly number[]) {
    this.#shelf = shelf;
    this.#tiers = tiers;
  }

  /** Reads the blocks of a shelf. What is damaged or of another store is removed. */
  static async open(shelf: Shelf, tiers: readonly number[] = TIERS): Promise<TextLibrary> {
    const library = new TextLibrary(shelf, tiers);
    for (const kept of await shelf.open()) {
      const header = readBlockHeader(shelf.store, await kept.read(0, HEADER_BYTES).catch(() => Buffer.alloc(0)));
      if (header === null || header.bytes !== kept.bytes) {
        await kept.erase().catch(() => {});
        continue;
      }
      const block = new TextBlock(header, kept.read, library.#cache);
      // A process that was killed may have written a block, and not yet removed those that it replaces.
      const old = library.#blocks.filter((one) => overlaps(one.block.header, header));
      library.#replace(old, { block, kept });
      for (const one of old) await one.kept.erase().catch(() => {});
    }
    return library;
  }

  async open(): Promise<readonly Cover[]> {
    return this.#covers;
  }

  get #covers(): readonly Cover[] {
    return this.#blocks.map(({ block: { header } }) => ({
      after: header.after,
      last: header.last,
      count: header.count,
    }));
  }

  /** Adds texts in the order of their ids. Between `after` and the last of them there is no other message. */
  add(after: string, texts: readonly AddedText[]): Promise<readonly Cover[]> {
    return this.#change(async () => {
      const last = texts.at(-1)?.id;
      if (last === undefined || this.#blocks.some(({ block }) => overlaps(block.header, { after, last }))) return;
      let from = after;
      let builder = new BlockBuilder();
      let characters = 0;
      for (const { id, document } of texts) {
        builder.add(id, document);
        characters += lengthOf(document);
        if (characters < MOST_CHARACTERS && id !== last) continue;
        this.#replace([], await this.#write(builder, { after: from, last: id }));
        from = id;
        builder = new BlockBuilder();
        characters = 0;
      }
      for (let run = this.#mergeable(); run !== null; run = this.#mergeable()) await this.#merge(run);
    });
  }

  /**
   * Compares a range with the ids of all messages in it, in order, 26 bytes each. Texts of other messages count as
   * removed. A block that lacks a message is removed.
   */
  compare({ after, last }: Pick<Cover, 'after' | 'last'>, ids: Uint8Array): Promise<readonly Cover[]> {
    return this.#change(async () => {
      const held = this.#blocks.find(({ block }) => block.header.after === after && block.header.last === last);
      if (held === undefined) return;
      const there = new Set(idsIn(ids, ID_BYTES));
      try {
        for (const id of idsIn(await held.block.documents(), DOCUMENT_BYTES)) if (!there.delete(id)) this.#gone.add(id);
      } catch {
        await this.#remove(held);
        return;
      }
      if (there.size > 0) await this.#remove(held);
    });
  }

  /** Finds messages, the newest first. One answer covers a part of the ids; the next request continues below it. */
  async find(request: FindRequest): Promise<FindReply> {
    return { ...(await this.#search(request)), covers: this.#covers };
  }

  async #search(request: FindRequest): Promise<Omit<FindReply, 'covers'>> {
    const stretches: LibraryStretch[] = [];
    const until = performance.now() + MOST_MS;
    // The newest block has the first page of a frequent word.
    let atATime = request.enough < MOST_HITS ? 1 : AT_A_TIME;
    let hits = 0;
    /** The ids below this one are left. Null: all. */
    let below = request.before;
    while (hits < request.enough && (stretches.length === 0 || performance.now() < until)) {
      const upper = below;
      const blocks = this.#blocks
        .filter(({ block }) => upper === null || idAfter(block.header.after) < upper)
        .slice(-atATime)
        .reverse();
      const all = await Promise.all(blocks.map((held) => this.#findIn(held, { ...request, before: upper })));
      for (const [index, { block }] of blocks.entries()) {
        const found = all[index];
        // The ids of a damaged block are found again as a gap.
        if (found === undefined || found === DAMAGED) continue;
        if (found === REPLACED) break;
        const { last } = block.header;
        if (below === null || idAfter(last) < below) stretches.push({ after: last, ids: null, unread: [] });
        append(stretches, found);
        hits += found.ids.length / ID_BYTES;
        below = idAfter(found.after);
        // The rest of the block was not looked at.
        if (found.after !== block.header.after) return { stretches, isEnd: false };
      }
      if (below === '') return { stretches, isEnd: true };
      if (blocks.length < atATime && !all.includes(REPLACED)) {
        stretches.push({ after: '', ids: null, unread: [] });
        return { stretches, isEnd: true };
      }
      atATime = AT_A_TIME;
    }
    return { stretches, isEnd: false };
  }

  /** Writes those blocks anew that have texts of removed messages. A block for which that fails is removed. */
  erase(gone: readonly string[]): Promise<readonly Cover[]> {
    return this.#change(async () => {
      for (const id of gone) this.#gone.add(id);
      const sorted = [...this.#gone].sort();
      const until = performance.now() + ERASE_MS;
      for (const held of this.#blocks) {
        const { after, last } = held.block.header;
        const next = sorted[firstIndex(sorted.length, (at) => (sorted[at] ?? '') > after)];
        if (next !== undefined && next <= last) await this.#eraseIn(held, performance.now() > until);
      }
      // The others have no text.
      this.#gone.clear();
    });
  }

  async #eraseIn(held: Held, isLate: boolean): Promise<void> {
    const { header } = held.block;
    try {
      const ids = idsIn(await held.block.documents(), DOCUMENT_BYTES);
      const left = ids.filter((id) => !this.#gone.has(id)).length;
      if (left === ids.length) return;
      // Writing them all anew takes too long: what is promised of removed mail comes first.
      if (left === 0 || isLate) return await this.#remove(held);
      const builder = new BlockBuilder();
      await held.block.copyInto(builder, this.#gone);
      this.#replace([held], await this.#write(builder, header));
    } catch {
      return await this.#remove(held);
    }
    await held.kept.erase();
  }

  /** Searches a block, from its newest message down to where the request has enough. */
  async #findIn(
    held: Held,
    request: FindRequest,
  ): Promise<(LibraryStretch & { readonly ids: string }) | typeof REPLACED | typeof DAMAGED> {
    const { block } = held;
    const { after } = block.header;
    try {
      const wanted = await wantedIn(block, request);
      if (wanted.isEmpty) return { after, ids: '', unread: [] };
      const { sure, unread } = await block.find(request.conditions, wanted);
      const documents = await block.documents();
      const idAt = (index: number) =>
        documents.toString('latin1', index * DOCUMENT_BYTES, index * DOCUMENT_BYTES + ID_BYTES);
      const ids: string[] = [];
      const open: number[] = [];
      for (const index of sure.or(unread).descending()) {
        if (unread.has(index)) open.push(ids.length);
        ids.push(idAt(index));
        if (ids.length === request.enough && index > 0)
          return { after: idAt(index - 1), ids: ids.join(''), unread: open };
      }
      return { after, ids: ids.join(''), unread: open };
    } catch {
      if (!this.#blocks.includes(held)) return REPLACED;
      await this.#remove(held);
      return DAMAGED;
    }
  }

  /** Returns neighbours that are merged next. Null if none are. */
  #mergeable(): readonly Held[] | null {
    for (const size of this.#tiers) {
      let run: Held[] = [];
      let count = 0;
      let words = 0;
      for (const held of this.#blocks) {
        const { header } = held.block;
        const isSmall = header.count < size && header.words < MOST_WORDS / 2;
        const follows = run.at(-1)?.block.header.last === header.after;
        if (!isSmall || !follows || words + header.words > MOST_WORDS) {
          run = [];
          count = 0;
          words = 0;
        }
        if (!isSmall) continue;
        run.push(held);
        count += header.count;
        words += header.words;
        if (run.length > 1 && (count >= size || words > MOST_WORDS / 2)) return run;
      }
    }
    return null;
  }

  async #merge(run: readonly Held[]): Promise<void> {
    const builder = new BlockBuilder();
    for (const held of run) {
      try {
        await held.block.copyInto(builder, this.#gone);
      } catch (error) {
        if (!(error instanceof BlockDamaged)) throw error;
        return this.#remove(held);
      }
    }
    const after = run[0]?.block.header.after ?? '';
    const last = run.at(-1)?.block.header.last ?? '';
    this.#replace(run, builder.count === 0 ? null : await this.#write(builder, { after, last }));
    for (const { kept } of run) await kept.erase();
  }

  async #write(builder: BlockBuilder, range: Pick<Cover, 'after' | 'last'>): Promise<Held> {
    const { store } = this.#shelf;
    const parts = await builder.finish(store, range, builder.count < LASTING ? 1 : 6);
    const header = readBlockHeader(store, parts[0] ?? Buffer.alloc(0));
    if (header === null) throw new Error('a text block has no header');
    const kept = await this.#shelf.write(parts);
    return { block: new TextBlock(header, kept.read, this.#cache), kept };
  }

  async #remove(held: Held): Promise<void> {
    this.#replace([held], null);
    await held.kept.erase().catch(() => {});
  }

  #replace(old: readonly Held[], by: Held | null): void {
    const others = this.#blocks.filter((held) => !old.includes(held));
    for (const { block } of old) this.#cache.forget(block);
    if (by !== null) {
      const { after } = by.block.header;
      others.splice(
        firstIndex(others.length, (at) => (others[at]?.block.header.after ?? '') > after),
        0,
        by,
      );
    }
    this.#blocks = others;
  }

  async #change(act: () => Promise<void>): Promise<readonly Cover[]> {
    const done = this.#changes.then(act);
    this.#changes = done.catch(() => {});
    await done;
    return this.#covers;
  }
}

function lengthOf(document: SearchDocument | null): number {
  if (document === null) return 0;
  return Object.values(document.texts).reduce((sum, texts) => texts.reduce((all, { length }) => all + length, sum), 0);
}

type Range = Pick<Cover, 'after' | 'last'>;

function overlaps(one: Range, other: Range): boolean {
  return one.after < other.last && other.after < one.last;
}

/** Returns the ids in bytes, in their order. Each begins a record of `step` bytes. */
function idsIn(bytes: Uint8Array, step: number): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return Array.from({ length: Math.floor(text.length / step) }, (_, index) =>
    text.slice(index * step, index * step + ID_BYTES),
  );
}

/** Returns the documents of a block that a request asks for. */
async function wantedIn(block: TextBlock, { before, only }: FindRequest): Promise<DocumentSet> {
  const { count, after, last } = block.header;
  const isWhole = before === null || before > last;
  if (only === null && isWhole) return DocumentSet.full(count);
  const ids = only === null ? null : Buffer.from(only.buffer, only.byteOffset, only.length);
  const idAt = (at: number) => ids?.toString('latin1', at * ID_BYTES, (at + 1) * ID_BYTES) ?? '';
  const wanted = new DocumentSet(count);
  const end = ids === null ? 0 : ids.length / ID_BYTES;
  let next = firstIndex(end, (at) => idAt(at) > after);
  if (ids !== null && (next === end || idAt(next) > last)) return wanted;
  for (const [index, id] of idsIn(await block.documents(), DOCUMENT_BYTES).entries()) {
    if (before !== null && id >= before) break;
    if (ids !== null) {
      while (next < end && idAt(next) < id) next++;
      if (next === end || idAt(next) !== id) continue;
    }
    wanted.add(index);
  }
  return wanted;
}

/** Adds a stretch to a list. Two stretches that were searched become one. */
function append(stretches: LibraryStretch[], { after, ids, unread }: LibraryStretch & { readonly ids: string }): void {
  const before = stretches.at(-1);
  if (before === undefined || before.ids === null) {
    stretches.push({ after, ids, unread });
    return;
  }
  const offset = before.ids.length / ID_BYTES;
  stretches[stretches.length - 1] = {
    after,
    ids: before.ids + ids,
    unread: [...before.unread, ...unread.map((position) => position + offset)],
  };
}

/** Returns the id that follows another one. '' precedes all ids, and stays ''. */
export function idAfter(id: string): string {
  for (let at = id.length - 1; at >= 0; at--) {
    const digit = ULID_DIGITS.indexOf(id.charAt(at)) + 1;
    if (digit < 32)
      return id.slice(0, at) + ULID_DIGITS.charAt(digit) + ULID_DIGITS.charAt(0).repeat(id.length - at - 1);
  }
  return id;
}

/** Keeps the parts of the first blocks that fit, because every search reads all blocks in the same order. */
class BoundedCache implements PartCache {
  readonly #parts = new Map<TextBlock, Map<BlockPart, Buffer>>();
  #bytes = 0;

  get(block: TextBlock, part: BlockPart): Buffer | undefined {
    return this.#parts.get(block)?.get(part);
  }

  set(block: TextBlock, part: BlockPart, bytes: Buffer): void {
    if (this.#bytes + bytes.length > CACHE_BYTES) return;
    const parts = getOrCreate(this.#parts, block, () => new Map());
    // Two searches may have read it at the same time.
    this.#bytes += bytes.length - (parts.get(part)?.length ?? 0);
    parts.set(part, bytes);
  }

  forget(block: TextBlock): void {
    for (const bytes of this.#parts.get(block)?.values() ?? []) this.#bytes -= bytes.length;
    this.#parts.delete(block);
  }
}
