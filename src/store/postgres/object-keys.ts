/** The digits of an object's number, which is a safe integer. */
const DIGITS = 16;

/** Returns the key of a piece of an object. An object of small bodies has one piece. */
export function objectKey(store: string, object: number, piece: number): string {
  return `${store}/${String(object).padStart(DIGITS, '0')}/${piece}`;
}

/** Reads a key of {@link objectKey}. Returns null for any other key. */
export function readKey(store: string, key: string): { readonly object: number; readonly piece: number } | null {
  if (!key.startsWith(`${store}/`)) return null;
  const [, object, piece] = /^(\d{16})\/(\d{1,9})$/.exec(key.slice(store.length + 1)) ?? [];
  return object === undefined || piece === undefined ? null : { object: Number(object), piece: Number(piece) };
}

/** Returns the key of the object that tells whose bodies are in a bucket. */
export function markOf(store: string): string {
  return `${store}/store`;
}
