/** A set of documents of one block, by their positions: one bit for each. */
export class DocumentSet {
  readonly #size: number;
  readonly #bits: Uint8Array;

  constructor(size: number, bits = new Uint8Array((size + 7) >> 3)) {
    this.#size = size;
    this.#bits = bits;
  }

  static full(size: number): DocumentSet {
    const bits = new Uint8Array((size + 7) >> 3).fill(0xff);
    // The bits behind the last document stay clear.
    if (size % 8 > 0) bits[bits.length - 1] = (1 << (size % 8)) - 1;
    return new DocumentSet(size, bits);
  }

  get isEmpty(): boolean {
    return this.#bits.every((byte) => byte === 0);
  }

  has(index: number): boolean {
    return ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  add(index: number): void {
    this.#bits[index >> 3] = (this.#bits[index >> 3] ?? 0) | (1 << (index & 7));
  }

  /** Adds the documents of a set that is written as bytes from `at` on. */
  addBits(bytes: Uint8Array, at: number): void {
    for (let i = 0; i < this.#bits.length; i++) this.#bits[i] = (this.#bits[i] ?? 0) | (bytes[at + i] ?? 0);
  }

  /** Returns the documents that are in both sets. */
  and(other: DocumentSet): DocumentSet {
    return this.#with(other, (ours, theirs) => ours & theirs);
  }

  /** Returns the documents that are in one of the sets. */
  or(other: DocumentSet): DocumentSet {
    return this.#with(other, (ours, theirs) => ours | theirs);
  }

  /** Returns the documents that `other` lacks. */
  without(other: DocumentSet): DocumentSet {
    return this.#with(other, (ours, theirs) => ours & ~theirs);
  }

  #with(other: DocumentSet, join: (ours: number, theirs: number) => number): DocumentSet {
    return new DocumentSet(
      this.#size,
      this.#bits.map((byte, i) => join(byte, other.#bits[i] ?? 0)),
    );
  }

  hasAll(other: DocumentSet): boolean {
    return other.#bits.every((byte, i) => (byte & ~(this.#bits[i] ?? 0)) === 0);
  }

  /** Tells whether a document from `from` on and before `end` is in the set. */
  hasBetween(from: number, end: number): boolean {
    for (let index = from; index < end; index++) if (this.has(index)) return true;
    return false;
  }

  /** Yields the documents, the last one first. */
  *descending(): Generator<number, void, void> {
    for (let at = this.#bits.length - 1; at >= 0; at--) {
      const byte = this.#bits[at] ?? 0;
      for (let bit = 7; byte !== 0 && bit >= 0; bit--) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit;
    }
  }
}
