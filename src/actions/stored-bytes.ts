import { refuse } from '../domain/errors.ts';

// Bytes of what was deleted since it was found are not missing: the thing they are of is.

/** What `read` gives. Throws `not_found` in place of its failure where the row is gone by then. */
export async function readWhile<T>(isThere: () => Promise<boolean>, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(await isThere())) throw refuse('not_found');
    throw error;
  }
}

/** Piece by piece; throws `not_found` at the first where the row is gone by then. */
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
