/** The fields that every item of an API list has. */
export interface ListedItem {
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
export class Frontier {
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
