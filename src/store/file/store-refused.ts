/** The error for a directory that can't be used as a store. Its message tells the reason and the remedy. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly code = 'STORE_FORMAT';
}
