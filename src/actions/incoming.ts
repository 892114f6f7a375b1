/** What a sender holds of memory: less than this waits to be kept, more goes to the store as it comes. */
const BLOCK_BYTES = 64 * 1024;
/** A sender of a byte at a time costs no buffer for each. */
const MAX_PARTS = 32;

/** Bytes on their way in, held until there are enough of them for the store. */
export class Incoming {
  #parts: Buffer[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** True where there are enough by now, to be taken. */
  push(chunk: Buffer): boolean {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= BLOCK_BYTES) return true;
    if (this.#parts.length >= MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
    return false;
  }

  /** All that is held; nothing is then. */
  take(): Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }

  /** All that is held as one; nothing is then. */
  takeWhole(): Buffer {
    const parts = this.take();
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}
