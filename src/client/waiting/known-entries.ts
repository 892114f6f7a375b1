import type { CallOptions } from '../transport/deadline.ts';
import { Frontier, type ListedItem } from './frontier.ts';

/** The number of items on a page of an API list. */
export const PAGE_SIZE = 50;
/** A text that sorts after every ULID. */
const LAST_ID = 'Z';

export interface KnownEntriesOptions<Entry> {
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
  readonly #frontier: Frontier;
  readonly #known = new Map<string, Entry>();

  constructor(options: KnownEntriesOptions<Entry>) {
    this.#options = options;
    this.#frontier = new Frontier(options.start, options.from);
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
    this.#frontier.moveTo(start);
  }

  isOfInterest({ id, receivedAt }: ListedItem): boolean {
    return this.#frontier.isSince(id) && Date.parse(receivedAt) >= (this.#options.from ?? 0);
  }

  /** Returns all known entries, oldest first. */
  inOrder(): Entry[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Reads the new items of the list. */
  async refresh(options: CallOptions): Promise<void> {
    const { read, listedOf } = this.#options;
    const newest = await read(options, (page) => this.#frontier.isReachedBy(page, PAGE_SIZE));
    this.#frontier.advance(newest, [...this.#known.values()].map(listedOf));
  }

  /** Reads the whole list again, and forgets entries that were deleted. Resolves with the entries, oldest first. */
  async listed(options: CallOptions): Promise<Entry[]> {
    const there = new Set<string>();
    const newest = await this.#options.read(options, (page) => {
      for (const { id } of page) there.add(id);
      return this.#frontier.isStartReachedBy(page, PAGE_SIZE);
    });
    // An entry that came during the reading is newer than the whole list, so its absence does not mean that it was
    // deleted.
    for (const id of this.#known.keys()) if (!there.has(id) && id <= (newest?.id ?? LAST_ID)) this.#known.delete(id);
    return this.inOrder().filter(({ id }) => there.has(id));
  }
}
