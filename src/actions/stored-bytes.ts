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
