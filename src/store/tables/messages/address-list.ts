import type { Message } from '../../../domain/message.ts';
import type { SortedRows } from '../table.ts';
import { IdKey } from './id-key.ts';

const CHUNK = 512;

/** Compares the id of the row at an address with a key. The result is negative, 0 or positive, as in `Array.sort`. */
export type CompareId = (address: number, key: IdKey) => number;

/**
 * The addresses of rows in the order of their ids. An address is one number, so a million of them take a few megabytes.
 */
export class AddressList {
  readonly #compare: CompareId;
  readonly #chunks: number[][] = [];
  #size = 0;
  /** The chunk of the last search. The next one is often near. */
  #near = 0;

  constructor(compare: CompareId) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The address of the newest row, or -1. */
  get newest(): number {
    return this.#chunks.at(-1)?.at(-1) ?? -1;
  }

  copy(): AddressList {
    const copy = this.emptied();
    for (const chunk of this.#chunks) copy.#chunks.push([...chunk]);
    copy.#size = this.#size;
    return copy;
  }

  /** Returns an empty list of rows that are compared in the same way. */
  emptied(): AddressList {
    return new AddressList(this.#compare);
  }

  /** Inserts the address of the row with the id `key`. Returns the address that it replaces, or -1. */
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

  /** Returns the address of the row with this id, or -1. */
  find(key: IdKey): number {
    const { newest } = this;
    // Most lookups are for new ids.
    if (newest < 0 || this.#compare(newest, key) < 0) return -1;
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

  /** Removes every row up to and including `key`. Returns their addresses, the oldest first. */
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

  /** Removes `doomed` in one walk that starts at the id `first`. All of them must be in the list and in its order. */
  removeAll(first: IdKey, doomed: readonly number[]): void {
    let next = 0;
    let kept = this.#chunkOf(first);
    for (let at = kept; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      const before = next;
      const left =
        next === doomed.length
          ? chunk
          : chunk.filter((address) => {
              const stays = address !== doomed[next];
              if (!stays) next++;
              return stays;
            });
      this.#size -= next - before;
      if (left.length > 0) this.#chunks[kept++] = next === before ? chunk : left;
    }
    this.#chunks.length = kept;
  }

  /** Yields the addresses up to and including `key`, the oldest first. */
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

  /** Yields the addresses, the newest first. With `before`, it yields only ids below it. */
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

  /** Yields the addresses, the oldest first. With `after`, it yields only ids above it. */
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

  /** Returns the chunk that holds `key` or would hold it: the last one that starts at or below it. */
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

  /** Returns the first index whose row has an id equal to or above `key`. */
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

/** Packed rows in the order of their ids. An object for a row is created only when the iteration reaches the row. */
export class PackedRows implements SortedRows<Message> {
  readonly #addresses: AddressList;
  readonly #at: (address: number) => Message;

  constructor(addresses: AddressList, at: (address: number) => Message) {
    this.#addresses = addresses;
    this.#at = at;
  }

  get size(): number {
    return this.#addresses.size;
  }

  *ascending(after?: string): Generator<Message, void, void> {
    for (const address of this.#addresses.ascending(idKey(after))) yield this.#at(address);
  }

  *descending(before?: string): Generator<Message, void, void> {
    for (const address of this.#addresses.descending(idKey(before))) yield this.#at(address);
  }
}

export function idKey(position: string | undefined): IdKey | undefined {
  return position === undefined ? undefined : IdKey.of(position);
}
