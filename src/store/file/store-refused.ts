/** The content of a directory can't be used; the message says why, and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly code = 'STORE_FORMAT';
}
