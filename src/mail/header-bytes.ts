import { MAX_HEADER_BYTES } from './header-block.ts';

const LF = 0x0a;
const FIRST_BYTES = 4 * 1024;
const NOTHING = Buffer.alloc(0);

/** Collects a header block that arrives in chunks. It drops everything over the limit, and keeps only whole lines. */
export class HeaderBytes {
  #bytes: Buffer | null = null;
  #length = 0;
  #isFull = false;

  /** Adds a copy of the chunk. */
  add(piece: Buffer): void {
    if (this.#isFull || piece.length === 0) return;
    const fits = Math.min(piece.length, MAX_HEADER_BYTES - this.#length);
    this.#isFull = fits < piece.length;
    this.#bytes = withRoom(this.#bytes, this.#length, fits);
    piece.copy(this.#bytes, this.#length, 0, fits);
    this.#length += fits;
  }

  /** Returns the bytes that were added, as a view that is valid until the next call. */
  soFar(): Buffer {
    return this.#bytes?.subarray(0, this.#length) ?? NOTHING;
  }

  /** Returns the whole block with `last` as its last chunk. The result may be a view of `last`. */
  take(last: Buffer): Buffer {
    if (this.#bytes === null && last.length <= MAX_HEADER_BYTES) return last;
    this.add(last);
    const block = (this.#bytes ?? last).subarray(0, this.#length);
    const whole = this.#isFull ? block.subarray(0, block.lastIndexOf(LF) + 1) : block;
    this.#bytes = null;
    this.#length = 0;
    this.#isFull = false;
    return whole;
  }
}

function withRoom(bytes: Buffer | null, length: number, more: number): Buffer {
  if (bytes !== null && bytes.length >= length + more) return bytes;
  const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, length + more, 2 * length));
  if (bytes !== null) bytes.copy(grown, 0, 0, length);
  return grown;
}
