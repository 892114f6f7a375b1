import type { CallOptions } from '../transport/transport.ts';

/** The number of items on a page of an API list. */
export const PAGE_SIZE = 50;
/** A text that sorts after every ULID. */
const LAST_ID = 'Z';

interface KnownEntriesOptions<Entry> {
  /** The id of the newest item that does not belong to the range; null if there is none. */
  readonly start: string | null;
  /** The earliest time of receipt in the range, in milliseconds since 1970; null if only `start` limits the range. */
  readonly from: number | null;
  /** Returns the list item that an entry was made from. */
  readonly listedOf: (entry: Entry) => ListedItem;
  /**
   * Reads the list page by page, newest first, and adds the items in the range. It stops when `isEnough` accepts a
   * page. Resolves with the newest item it saw.
   */
  readonly read: (
    options: CallOptions,
    isEnough: (page: readonly ListedItem[]) => boolean,
  ) => Promise<ListedItem | undefined>;
}

/** The known entries of an API list since a start. A refresh reads only the new part of the list. */
export class KnownEntries<Entry extends { readonly id: string }> {
  readonly #options: KnownEntriesOptions<Entry>;
  readonly #cursor: ListCursor;
  readonly #known = new Map<string, Entry>();

  constructor(options: KnownEntriesOptions<Entry>) {
    this.#options = options;
    this.#cursor = new ListCursor(options.start, options.from);
  }

  get size(): number {
    return this.#known.size;
  }

  get(id: string): Entry | undefined {
    return this.#known.get(id);
  }

  add(entry: Entry): void {
    this.#known.set(entry.id, entry);
  }

  clear(): void {
    this.#known.clear();
  }

  /** Moves the start forward. */
  moveTo(start: string): void {
    this.#cursor.moveTo(start);
  }

  isOfInterest({ id, receivedAt }: ListedItem): boolean {
    return this.#cursor.isSince(id) && Date.parse(receivedAt) >= (this.#options.from ?? 0);
  }

  /** Returns all known entries, oldest first. */
  inOrder(): Entry[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Reads the new items of the list. */
  async refresh(options: CallOptions): Promise<void> {
    const { read, listedOf } = this.#options;
    const newest = await read(options, (page) => this.#cursor.isReachedBy(page, PAGE_SIZE));
    this.#cursor.advance(newest, [...this.#known.values()].map(listedOf));
  }

  /** Reads the whole list again, and forgets entries that were deleted. Resolves with the entries, oldest first. */
  async listed(options: CallOptions): Promise<Entry[]> {
    const there = new Set<string>();
    const newest = await this.#options.read(options, (page) => {
      for (const { id } of page) there.add(id);
      return this.#cursor.isStartReachedBy(page, PAGE_SIZE);
    });
    // An entry that came during the reading is newer than the whole list, so its absence does not mean that it was
    // deleted.
    for (const id of this.#known.keys()) if (!there.has(id) && id <= (newest?.id ?? LAST_ID)) this.#known.delete(id);
    return this.inOrder().filter(({ id }) => there.has(id));
  }
}

/** The fields that every item of an API list has. */
interface ListedItem {
  /** The ULID of the item. ULIDs increase in the order of receipt. */
  readonly id: string;
  readonly receivedAt: string;
}

/** The time after which no further item of the same millisecond can appear, in milliseconds. */
export const SETTLED_MS = 1_000;

/**
 * Tells how far back a list, newest first, must be read so that no item is missed. A known item does not prove that the
 * older ones are known: an await may have reported it first, or a reading may have been cut short.
 */
class ListCursor {
  /** The newest id that does not belong to the range. Only newer items count. */
  #start: string;
  /** The id up to which every item is known, and no further item can appear. */
  #knownUntil = '';

  /**
   * The earliest time of receipt of an item in the range, in milliseconds since 1970; null if only the id limits the
   * range.
   */
  readonly #from: number | null;

  constructor(start: string | null, from: number | null = null) {
    this.#start = start ?? '';
    this.#from = from;
  }

  isSince(id: string): boolean {
    return id > this.#start;
  }

  /** Moves the start of the range forward. */
  moveTo(start: string): void {
    this.#start = start;
  }

  /**
   * Tells whether a page of at most `size` items is the last one to read: every older item is known or out of the
   * range.
   */
  isReachedBy(page: readonly ListedItem[], size: number): boolean {
    return this.isStartReachedBy(page, size) || (page.at(-1)?.id ?? '') <= this.#knownUntil;
  }

  /** Tells whether every item older than a page of at most `size` items is out of the range. */
  isStartReachedBy(page: readonly ListedItem[], size: number): boolean {
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < size || oldest.id <= this.#start) return true;
    return this.#from !== null && Date.parse(oldest.receivedAt) < this.#from - SETTLED_MS;
  }

  /**
   * Moves the known limit forward after a complete reading. `newest` is the newest item it saw, `known` are all known
   * items.
   */
  advance(newest: ListedItem | undefined, known: Iterable<ListedItem>): void {
    if (newest === undefined) return;
    const settledAt = Date.parse(newest.receivedAt) - SETTLED_MS;
    for (const { id, receivedAt } of known)
      if (id > this.#knownUntil && Date.parse(receivedAt) < settledAt) this.#knownUntil = id;
  }
}
