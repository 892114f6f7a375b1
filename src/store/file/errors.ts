/** The error for a directory that can't be used as a store. Its message tells the reason and the remedy. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly code = 'STORE_FORMAT';
}

/** The error for bytes that were deleted or whose file no longer exists. */
export class BlobGone extends Error {
  override readonly name = 'BlobGone';

  constructor(file: string) {
    super(`the bytes in ${file} are gone`);
  }
}

/** The error for bytes that fail their checksum. */
export class BlobDamaged extends Error {
  override readonly name = 'BlobDamaged';

  constructor(file: string, offset: number) {
    super(`the bytes in ${file} at ${offset} fail their checksum`);
  }
}
