import { firstIndex } from '../../text/first-index.ts';

// Items in the order of their keys, in chunks. Inserting, removing and finding an item cost about the same among ten
// items and among a million.

const CHUNK = 512;

/** Compares the key of an item with another key. The result is negative, 0 or positive, as in `Array.sort`. */
type CompareKey<Item, Key> = (item: Item, key: Key) => number;

export class SortedList<Item, Key> {
  readonly #compare: CompareKey<Item, Key>;
  readonly #chunks: Item[][] = [];
  #size = 0;
  /** The chunk of the last search. The next one is often near. */
  #near = 0;

  constructor(compare: CompareKey<Item, Key>) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  copy(): SortedList<Item, Key> {
    const copy = this.emptied();
    for (const chunk of this.#chunks) copy.#chunks.push([...chunk]);
    copy.#size = this.#size;
    return copy;
  }

  /** Returns an empty list of items that are compared in the same way. */
  emptied(): SortedList<Item, Key> {
    return new SortedList(this.#compare);
  }

  /** Inserts the item with this key. Returns the item that it replaces. */
  insert(item: Item, key: Key): Item | undefined {
    const chunks = this.#chunks;
    const last = chunks.at(-1);
    if (last === undefined || this.#isPastAll(key)) {
      if (last === undefined || last.length >= CHUNK) chunks.push([item]);
      else last.push(item);
      this.#size++;
      return undefined;
    }
    const at = this.#chunkOf(key);
    const chunk = chunks[at] ?? last;
    const index = this.#indexIn(chunk, key);
    const found = chunk[index];
    if (this.#isAt(found, key)) {
      chunk[index] = item;
      return found;
    }
    chunk.splice(index, 0, item);
    this.#size++;
    if (chunk.length > 2 * CHUNK) chunks.splice(at + 1, 0, chunk.splice(CHUNK));
    return undefined;
  }

  find(key: Key): Item | undefined {
    // Most lookups are for new keys.
    if (this.#isPastAll(key)) return undefined;
    const chunk = this.#chunks[this.#chunkOf(key)] ?? [];
    const found = chunk[this.#indexIn(chunk, key)];
    return this.#isAt(found, key) ? found : undefined;
  }

  remove(key: Key): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] ?? [];
    const index = this.#indexIn(chunk, key);
    if (!this.#isAt(chunk[index], key)) return;
    chunk.splice(index, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Removes every item up to and including `key`. Returns them in their order. */
  removeUpTo(key: Key): Item[] {
    const whole = this.#chunks.splice(0, this.#chunkOf(key));
    const rest = this.#chunks[0] ?? [];
    const removed = [...whole, rest.splice(0, this.#indexPast(rest, key))].flat();
    if (rest.length === 0) this.#chunks.splice(0, 1);
    this.#size -= removed.length;
    return removed;
  }

  /** Removes `doomed` in one walk that starts at the key `first`. All of them must be in the list and in its order. */
  removeAll(first: Key, doomed: readonly Item[]): void {
    let next = 0;
    let kept = this.#chunkOf(first);
    for (let at = kept; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      const before = next;
      const left =
        next === doomed.length
          ? chunk
          : chunk.filter((item) => {
              const stays = item !== doomed[next];
              if (!stays) next++;
              return stays;
            });
      this.#size -= next - before;
      if (left.length > 0) this.#chunks[kept++] = next === before ? chunk : left;
    }
    this.#chunks.length = kept;
  }

  /** Yields the items up to and including `key`, the first one first. */
  *through(key: Key): Generator<Item, void, void> {
    const last = this.#chunkOf(key);
    for (let at = 0; at < last; at++) yield* this.#chunks[at] ?? [];
    const rest = this.#chunks[last] ?? [];
    yield* rest.slice(0, this.#indexPast(rest, key));
  }

  /** Yields the items, the last one first. `before` excludes keys from it on. */
  *descending(before?: Key): Generator<Item, void, void> {
    let at = before === undefined ? this.#chunks.length - 1 : this.#chunkOf(before);
    const chunk = this.#chunks[at] ?? [];
    let index = (before === undefined ? chunk.length : this.#indexIn(chunk, before)) - 1;
    for (; at >= 0; at--, index = (this.#chunks[at]?.length ?? 0) - 1) {
      for (; index >= 0; index--) {
        const item = this.#chunks[at]?.[index];
        if (item !== undefined) yield item;
      }
    }
  }

  /** Yields the items, the last one first, without the last `count`. */
  *descendingPast(count: number): Generator<Item, void, void> {
    let left = count;
    let at = this.#chunks.length - 1;
    for (; at >= 0 && left >= (this.#chunks[at]?.length ?? 0); at--) left -= this.#chunks[at]?.length ?? 0;
    for (; at >= 0; at--, left = 0) {
      const chunk = this.#chunks[at] ?? [];
      for (let index = chunk.length - 1 - left; index >= 0; index--) {
        const item = chunk[index];
        if (item !== undefined) yield item;
      }
    }
  }

  /** Yields the items, the first one first. `after` excludes keys up to it. */
  *ascending(after?: Key): Generator<Item, void, void> {
    let at = after === undefined ? 0 : this.#chunkOf(after);
    let index = after === undefined ? 0 : this.#indexPast(this.#chunks[at] ?? [], after);
    for (; at < this.#chunks.length; at++, index = 0) {
      for (; index < (this.#chunks[at]?.length ?? 0); index++) {
        const item = this.#chunks[at]?.[index];
        if (item !== undefined) yield item;
      }
    }
  }

  #isPastAll(key: Key): boolean {
    const last = this.#chunks.at(-1)?.at(-1);
    return last === undefined || this.#compare(last, key) < 0;
  }

  #isAt(item: Item | undefined, key: Key): boolean {
    return item !== undefined && this.#compare(item, key) === 0;
  }

  /** Returns the chunk that holds `key` or would hold it: the last one that starts at or below it. */
  #chunkOf(key: Key): number {
    const near = this.#near;
    if (this.#startsBy(near, key) && !this.#startsBy(near + 1, key)) return near;
    const next = firstIndex(this.#chunks.length, (at) => !this.#startsBy(at, key));
    this.#near = Math.max(0, next - 1);
    return this.#near;
  }

  #startsBy(chunk: number, key: Key): boolean {
    const first = this.#chunks[chunk]?.[0];
    return first !== undefined && this.#compare(first, key) <= 0;
  }

  /** Returns the first index whose item is at or behind `key`. */
  #indexIn(chunk: readonly Item[], key: Key): number {
    return firstIndex(chunk.length, (at) => {
      const item = chunk[at];
      return item === undefined || this.#compare(item, key) >= 0;
    });
  }

  /** Returns the first index whose item is behind `key`. */
  #indexPast(chunk: readonly Item[], key: Key): number {
    const index = this.#indexIn(chunk, key);
    return this.#isAt(chunk[index], key) ? index + 1 : index;
  }
}
