/** The error for an unusable directory. Its message tells the reason and the remedy. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly code = 'STORE_FORMAT';
}
