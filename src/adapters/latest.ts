/** Remembers so much, what was longest not asked for dropped first. The newest stays even where it is larger than the bound. */
export class Latest<Key, Value> {
  // A Map keeps the order of insertion: the last is the latest asked for.
  readonly #entries = new Map<Key, { readonly value: Value; readonly size: number }>();
  readonly #most: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /** `most` is a number of values, or what `sizeOf` them may come to. */
  constructor(most: number, sizeOf: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#most || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
