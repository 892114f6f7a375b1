/** What a list of the API tells of each that it has. */
export interface Listed {
  /** A ULID: they increase in the order of receipt. */
  readonly id: string;
  readonly receivedAt: string;
}

/** One may become visible this long after another of the same millisecond. */
export const SETTLED_MS = 1_000;

/**
 * How far back a list, newest first, must be read to miss none. That one is known says nothing of those before it: an await may have
 * told of it ahead of them, or a look may have been cut short.
 */
export class Frontier {
  /** Nothing at or before it is of interest. */
  #start: string;
  /** Of what came until then none is unknown, nor will any come. */
  #knownUntil = '';

  /** Nor is what was received before it, milliseconds since 1970. */
  readonly #from: number | null;

  constructor(start: string | null, from: number | null = null) {
    this.#start = start ?? '';
    this.#from = from;
  }

  isSince(id: string): boolean {
    return id > this.#start;
  }

  /** Begins later. */
  moveTo(start: string): void {
    this.#start = start;
  }

  /** Whether what is older than a page, of so many at most, is known or of no interest. */
  isReachedBy(page: readonly Listed[], size: number): boolean {
    return this.isStartReachedBy(page, size) || (page.at(-1)?.id ?? '') <= this.#knownUntil;
  }

  /** Whether all that is older than a page, of so many at most, is of no interest. */
  isStartReachedBy(page: readonly Listed[], size: number): boolean {
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < size || oldest.id <= this.#start) return true;
    return this.#from !== null && Date.parse(oldest.receivedAt) < this.#from - SETTLED_MS;
  }

  /** After a look that reached it, by the newest it saw, and of all that is known. */
  advance(newest: Listed | undefined, known: Iterable<Listed>): void {
    if (newest === undefined) return;
    const settledAt = Date.parse(newest.receivedAt) - SETTLED_MS;
    for (const { id, receivedAt } of known)
      if (id > this.#knownUntil && Date.parse(receivedAt) < settledAt) this.#knownUntil = id;
  }
}
