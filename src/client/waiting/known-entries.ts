import type { CallOptions } from '../transport/deadline.ts';
import { Frontier, type Listed } from './frontier.ts';

/** How many a list of the API tells on a page. */
export const PAGE = 50;
/** No ULID is after it. */
const LAST_ID = 'Z';

export interface KnownEntriesOptions<Entry> {
  /** The id of the newest that does not belong to it; null where there is none. */
  readonly start: string | null;
  /** Nothing that came before this time belongs to it, milliseconds since 1970; null where the start's id alone says so. */
  readonly from: number | null;
  /** The row of the API's list that an entry was made of. */
  readonly listedOf: (entry: Entry) => Listed;
  /** Reads the list page by page, newest first, adds what is of interest, and ends at the page that is enough. Resolves with the newest it saw. */
  readonly read: (options: CallOptions, isEnough: (page: readonly Listed[]) => boolean) => Promise<Listed | undefined>;
}

/** The entries of one of the API's lists since a start, as far as they are known: kept up to date by reading no more of the list than is new. */
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

  /** Begins later. */
  moveTo(start: string): void {
    this.#frontier.moveTo(start);
  }

  isOfInterest({ id, receivedAt }: Listed): boolean {
    return this.#frontier.isSince(id) && Date.parse(receivedAt) >= (this.#options.from ?? 0);
  }

  /** All that are known, oldest first. */
  inOrder(): Entry[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Looks for what is new. */
  async refresh(options: CallOptions): Promise<void> {
    const { read, listedOf } = this.#options;
    const newest = await read(options, (page) => this.#frontier.isReachedBy(page, PAGE));
    this.#frontier.advance(newest, [...this.#known.values()].map(listedOf));
  }

  /** Reads the list anew; what was deleted is known no longer. Oldest first. */
  async listed(options: CallOptions): Promise<Entry[]> {
    const there = new Set<string>();
    const newest = await this.#options.read(options, (page) => {
      for (const { id } of page) there.add(id);
      return this.#frontier.isStartReachedBy(page, PAGE);
    });
    // What came while the list was read is newer than all of it, and not in it.
    for (const id of this.#known.keys()) if (!there.has(id) && id <= (newest?.id ?? LAST_ID)) this.#known.delete(id);
    return this.inOrder().filter(({ id }) => there.has(id));
  }
}
