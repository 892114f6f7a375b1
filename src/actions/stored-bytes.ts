import { refuse } from '../domain/errors.ts';

// Reading a row's bytes can fail because the row was deleted in the meantime. These functions turn that failure into
// `not_found`.

/** Returns the result of `read`. If it fails and the row is gone, it throws `not_found` instead. */
export async function readWhile<T>(isThere: () => Promise<boolean>, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(await isThere())) throw refuse('not_found');
    throw error;
  }
}

/** Streams `source`. The first chunk throws `not_found` if the row is gone. */
export async function* streamWhile(
  isThere: () => Promise<boolean>,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await readWhile(isThere, async () => pieces.next());
  try {
    for (let piece = first; !piece.done; piece = await pieces.next()) yield piece.value;
  } finally {
    await pieces.return?.();
  }
}

/** The bytes one sender may hold in memory. A larger body goes to the store in blocks of this size. */
const BLOCK_BYTES = 64 * 1024;
/**
 * The number of chunks before they are merged. A client that sends single bytes would otherwise hold a buffer for each.
 */
const MAX_PARTS = 32;

/** Collects incoming chunks until they fill a block for the store. */
export class ChunkBuffer {
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
