/** The bytes were deleted, or stood in a file that is no longer there. */
export class BlobGone extends Error {
  override readonly name = 'BlobGone';

  constructor(file: string) {
    super(`the bytes in ${file} are gone`);
  }
}

/** The bytes fail their checksum: they are not what was written. */
export class BlobDamaged extends Error {
  override readonly name = 'BlobDamaged';

  constructor(file: string, offset: number) {
    super(`the bytes in ${file} at ${offset} fail their checksum`);
  }
}
