import { getOrCreate } from '../../text/maps.ts';
import type { CallOptions } from '../transport/transport.ts';

/** The number of items on a page of an API list. */
export const PAGE_SIZE = 50;
/** The time after which no further item of the same millisecond can appear, in milliseconds. */
export const SETTLED_MS = 1_000;
/** A text that sorts after every ULID. */
const LAST_ID = 'Z';

/** The fields that every item of an API list has. */
interface ListedItem {
  /** The ULID of the item. ULIDs increase in the order of receipt. */
  readonly id: string;
  readonly receivedAt: string;
}

/** An entry that a handle made from an item of a list. */
export interface KnownEntry {
  readonly id: string;
  /** The time of receipt, as the API writes it or in milliseconds since 1970. */
  readonly receivedAt: string | number;
}

/** The state that all views of one list share. */
export interface SharedByViews {
  /** The ids of the items that a wait has returned. No other wait returns them. */
  readonly returned: Set<string>;
  /** The ids of the returned items that no caller got, because a wait asked for the newest. */
  readonly passedOver: Set<string>;
}

/**
 * The known entries of an API list since a start. A refresh reads only the new part of the list, newest first, and far
 * enough back to miss nothing. A known item does not prove that the older ones are known: an await may have reported it
 * first, or a reading may have been cut short.
 */
export abstract class KnownEntries<Item extends ListedItem, Entry extends KnownEntry, View> implements SharedByViews {
  readonly returned: Set<string>;
  readonly passedOver: Set<string>;
  /** The id of the newest item that was seen, in the range or not. */
  protected newestSeen: string | null;
  /** The newest id that does not belong to the range. Only newer items count. */
  #start: string;
  /** The earliest time of receipt in the range, in milliseconds since 1970; null if only `#start` limits the range. */
  readonly #from: number | null;
  /** The id up to which every item is known, and no further item can appear. */
  #knownUntil = '';
  readonly #known = new Map<string, Entry>();
  readonly #views = new Map<number, View>();

  /** A view limits the range by a time, in milliseconds since 1970. */
  constructor(start: string | null, view?: SharedByViews & { readonly from: number }) {
    this.returned = view?.returned ?? new Set();
    this.passedOver = view?.passedOver ?? new Set();
    this.#from = view?.from ?? null;
    this.#start = start ?? '';
    this.newestSeen = start;
  }

  /** Reads a page of the list, newest first. It follows the item with the id `before`; the first page has the number 1. */
  protected abstract page(number: number, before: string | undefined, options: CallOptions): Promise<readonly Item[]>;

  /** Makes the entry of an item that was not known. */
  protected abstract entryOf(item: Item): Entry;

  /** Creates the view of the entries since a time. */
  protected abstract viewSince(time: number): View;

  /** Returns a view of the entries since a time in milliseconds since 1970; returns itself for null. */
  since(this: this & View, time: number | null): View {
    return time === null ? this : getOrCreate(this.#views, time, () => this.viewSince(time));
  }

  /** Returns all known entries, oldest first. */
  entries(): readonly Entry[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Reads the new items of the list. */
  async refresh(options: CallOptions): Promise<void> {
    const newest = await this.#read(
      options,
      (page) => this.#isStartReachedBy(page) || (page.at(-1)?.id ?? '') <= this.#knownUntil,
    );
    if (newest === undefined) return;
    const settledAt = Date.parse(newest.receivedAt) - SETTLED_MS;
    for (const { id, receivedAt } of this.#known.values())
      if (id > this.#knownUntil && new Date(receivedAt).getTime() < settledAt) this.#knownUntil = id;
  }

  /** Reads the whole list again, and forgets entries that were deleted. Resolves with the entries, oldest first. */
  async listed(options: CallOptions): Promise<readonly Entry[]> {
    const there = new Set<string>();
    const newest = await this.#read(options, (page) => {
      for (const { id } of page) there.add(id);
      return this.#isStartReachedBy(page);
    });
    // An entry that came during the reading is newer than the whole list, so its absence does not mean that it was
    // deleted.
    for (const id of this.#known.keys()) if (!there.has(id) && id <= (newest?.id ?? LAST_ID)) this.#known.delete(id);
    return this.entries().filter(({ id }) => there.has(id));
  }

  /** Forgets all known entries, after they were deleted. */
  forget(): void {
    this.#known.clear();
    this.#views.clear();
  }

  /** Moves the start of the range forward. */
  protected moveTo(start: string): void {
    this.#start = start;
  }

  /** Returns the entry of an item. It is known from now on if it is in the range. */
  protected learn(item: Item): Entry {
    const known = this.#known.get(item.id);
    if (known !== undefined) return known;
    const entry = this.entryOf(item);
    if (this.#isInRange(item)) this.#known.set(item.id, entry);
    return entry;
  }

  /** Reads page by page until `isEnough` accepts one. Resolves with the newest item. */
  async #read(options: CallOptions, isEnough: (page: readonly Item[]) => boolean): Promise<Item | undefined> {
    let newest: Item | undefined;
    let before: string | undefined;
    for (let number = 1; ; number++) {
      const page = await this.page(number, before, options);
      newest ??= page[0];
      // If the clock was moved, an item older than the start may have a later time. It must not become an entry.
      for (const item of page) if (this.#isInRange(item)) this.learn(item);
      if (isEnough(page)) break;
      before = page.at(-1)?.id;
    }
    if (newest !== undefined && newest.id > (this.newestSeen ?? '')) this.newestSeen = newest.id;
    return newest;
  }

  #isInRange({ id, receivedAt }: Item): boolean {
    return id > this.#start && Date.parse(receivedAt) >= (this.#from ?? 0);
  }

  /** Tells whether every item older than a page is out of the range. */
  #isStartReachedBy(page: readonly Item[]): boolean {
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < PAGE_SIZE || oldest.id <= this.#start) return true;
    return this.#from !== null && Date.parse(oldest.receivedAt) < this.#from - SETTLED_MS;
  }
}

/** Returns a function that loads each entry once, and again after a failure. */
export function loadingOnce<Entry extends { readonly id: string }, Item>(
  load: (entry: Entry, options: CallOptions) => Promise<Item>,
): (entry: Entry, options: CallOptions) => Promise<Item> {
  const loaded = new Map<string, Promise<Item>>();
  return (entry, options) => {
    const known = loaded.get(entry.id);
    if (known !== undefined) return known;
    const made = load(entry, options);
    loaded.set(entry.id, made);
    made.catch(() => loaded.delete(entry.id));
    return made;
  };
}
