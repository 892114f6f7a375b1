/** The bytes one sender may hold in memory. A larger body goes to the store in blocks of this size. */
const BLOCK_BYTES = 64 * 1024;
/**
 * The number of chunks before they are merged. A client that sends single bytes would otherwise hold a buffer for each.
 */
const MAX_PARTS = 32;

/** Collects incoming chunks until they fill a block for the store. */
export class Incoming {
  #parts: Buffer[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Adds a chunk. Returns true once a block is full and should be taken. */
  push(chunk: Buffer): boolean {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= BLOCK_BYTES) return true;
    if (this.#parts.length >= MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
    return false;
  }

  /** Returns the collected chunks and empties the collection. */
  take(): Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }

  /** Returns the collected bytes as one buffer and empties the collection. */
  takeWhole(): Buffer {
    const parts = this.take();
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}
