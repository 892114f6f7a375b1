/** The number of digits of the largest safe integer, which an object's number never exceeds. */
const DIGITS = 16;

/**
 * Returns the key of a piece of an object. Pieces count from 0. An object that holds several small bodies has one
 * piece.
 */
export function objectKey(store: string, object: number, piece: number): string {
  return `${store}/${String(object).padStart(DIGITS, '0')}/${piece}`;
}

/** Parses a key that {@link objectKey} wrote. Returns null for any other key. */
export function readKey(store: string, key: string): { readonly object: number; readonly piece: number } | null {
  if (!key.startsWith(`${store}/`)) return null;
  const [, object, piece] = /^(\d{16})\/(\d{1,9})$/.exec(key.slice(store.length + 1)) ?? [];
  return object === undefined || piece === undefined ? null : { object: Number(object), piece: Number(piece) };
}

/** Returns the key of the mark: the object that shows that a bucket holds the bodies of this store. */
export function markOf(store: string): string {
  return `${store}/store`;
}
