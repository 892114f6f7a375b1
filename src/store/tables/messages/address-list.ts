import type { IdKey } from './id-key.ts';

const CHUNK = 512;

/** Tells where the id of the row at an address stands: below, at or above 0 where it is before, at or after a key. */
export type CompareId = (address: number, key: IdKey) => number;

/** The addresses of rows in the order of the rows' ids: a number each, so that a million take some megabytes. */
export class AddressList {
  readonly #compare: CompareId;
  readonly #chunks: number[][] = [];
  #size = 0;
  /** Where the last search ended: the next one is often near. */
  #near = 0;

  constructor(compare: CompareId) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The newest row's; -1 where there is none. */
  get newest(): number {
    return this.#chunks.at(-1)?.at(-1) ?? -1;
  }

  /** Takes the address of the row with the id `key`; the address it replaces, which had the same id, or -1. */
  insert(address: number, key: IdKey): number {
    const chunks = this.#chunks;
    const last = chunks.at(-1);
    const newest = last?.at(-1);
    if (last === undefined || newest === undefined || this.#compare(newest, key) < 0) {
      if (last === undefined || last.length >= CHUNK) chunks.push([address]);
      else last.push(address);
      this.#size++;
      return -1;
    }
    const at = this.#chunkOf(key);
    const chunk = chunks[at] ?? last;
    const index = this.#lowerBound(chunk, key);
    const found = chunk[index];
    if (found !== undefined && this.#compare(found, key) === 0) {
      chunk[index] = address;
      return found;
    }
    chunk.splice(index, 0, address);
    this.#size++;
    if (chunk.length > 2 * CHUNK) chunks.splice(at + 1, 0, chunk.splice(CHUNK));
    return -1;
  }

  /** The address of the row with this id, -1 where there is none. */
  find(key: IdKey): number {
    const chunk = this.#chunks[this.#chunkOf(key)];
    const found = chunk?.[this.#lowerBound(chunk, key)];
    return found !== undefined && this.#compare(found, key) === 0 ? found : -1;
  }

  remove(key: IdKey): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = this.#lowerBound(chunk, key);
    const found = chunk[index];
    if (found === undefined || this.#compare(found, key) !== 0) return;
    chunk.splice(index, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Removes every row up to `key`, itself included; their addresses, oldest first. */
  removeUpTo(key: IdKey): number[] {
    const removed: number[] = [];
    let whole = 0;
    for (const chunk of this.#chunks) {
      const newest = chunk.at(-1);
      if (newest === undefined || this.#compare(newest, key) > 0) break;
      for (const address of chunk) removed.push(address);
      whole++;
    }
    this.#chunks.splice(0, whole);
    const rest = this.#chunks[0] ?? [];
    let index = this.#lowerBound(rest, key);
    const found = rest[index];
    if (found !== undefined && this.#compare(found, key) === 0) index++;
    for (const address of rest.splice(0, index)) removed.push(address);
    this.#size -= removed.length;
    return removed;
  }

  /** Removes all that `isDoomed` of the rows from the one with the id `first` on, by one walk over them. */
  removeWhere(first: IdKey, isDoomed: (address: number) => boolean): void {
    let kept = this.#chunkOf(first);
    for (let at = kept; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      const left = chunk.filter((address) => !isDoomed(address));
      this.#size -= chunk.length - left.length;
      if (left.length > 0) this.#chunks[kept++] = left.length === chunk.length ? chunk : left;
    }
    this.#chunks.length = kept;
  }

  /** Oldest first, up to `key`, itself included. */
  *through(key: IdKey): Generator<number, void, void> {
    for (const chunk of this.#chunks) {
      const newest = chunk.at(-1);
      if (newest !== undefined && this.#compare(newest, key) <= 0) yield* chunk;
      else {
        for (const address of chunk) {
          if (this.#compare(address, key) > 0) return;
          yield address;
        }
      }
    }
  }

  /** Newest first; only those below `before` where it is given. */
  *descending(before?: IdKey): Generator<number, void, void> {
    let at = before === undefined ? this.#chunks.length - 1 : this.#chunkOf(before);
    let index =
      before === undefined ? (this.#chunks[at]?.length ?? 0) - 1 : this.#lowerBound(this.#chunks[at] ?? [], before) - 1;
    for (; at >= 0; at--, index = (this.#chunks[at]?.length ?? 0) - 1) {
      for (; index >= 0; index--) {
        const address = this.#chunks[at]?.[index];
        if (address !== undefined) yield address;
      }
    }
  }

  /** Oldest first; only those above `after` where it is given. */
  *ascending(after?: IdKey): Generator<number, void, void> {
    let at = after === undefined ? 0 : this.#chunkOf(after);
    let index = 0;
    if (after !== undefined) {
      const chunk = this.#chunks[at] ?? [];
      index = this.#lowerBound(chunk, after);
      const found = chunk[index];
      if (found !== undefined && this.#compare(found, after) === 0) index++;
    }
    for (; at < this.#chunks.length; at++, index = 0) {
      for (; index < (this.#chunks[at]?.length ?? 0); index++) {
        const address = this.#chunks[at]?.[index];
        if (address !== undefined) yield address;
      }
    }
  }

  /** The chunk that holds `key` or would: the last one that starts at or below it. */
  #chunkOf(key: IdKey): number {
    const near = this.#near;
    if (this.#startsBy(near, key) && !this.#startsBy(near + 1, key)) return near;
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#startsBy(middle, key)) low = middle;
      else high = middle - 1;
    }
    this.#near = low;
    return low;
  }

  #startsBy(chunk: number, key: IdKey): boolean {
    const first = this.#chunks[chunk]?.[0];
    return first !== undefined && this.#compare(first, key) <= 0;
  }

  /** The first index whose row is not below `key`. */
  #lowerBound(chunk: readonly number[], key: IdKey): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const address = chunk[middle];
      if (address !== undefined && this.#compare(address, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
