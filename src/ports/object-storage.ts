/** A range of an object. `start` counts from 0; both fields are in bytes. */
export interface ObjectRange {
  readonly start: number;
  readonly length: number;
}

export interface ListedObject {
  readonly key: string;
  /** The age of the object in milliseconds, by the storage's own clock. */
  readonly ageMs: number;
}

/**
 * A bucket of an object storage. Objects never change: a key is written once, or again with the same bytes. Every
 * method except `close` rejects with {@link ObjectStorageAway} if the storage can't be reached, refuses the request or
 * fails.
 */
export interface ObjectStorage {
  /** The URL of the bucket without credentials, for messages and for the record in the database. */
  readonly url: string;
  /** Writes an object. Once it resolves, the object is durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object, or exactly the bytes of `range`. Throws {@link ObjectMissing}. */
  get(key: string, range?: ObjectRange): Promise<Buffer>;
  /** Removes objects. A missing object counts as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Lists the objects whose keys begin with a prefix, page by page. */
  list(prefix: string): AsyncIterable<readonly ListedObject[]>;
  /** Closes the connections to the storage. */
  close(): Promise<void>;
}

/** The error for a missing object. */
export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(url: string, key: string) {
    super(`the object ${key} is missing in ${url}`);
  }
}

/** The error for a storage that can't be reached, refuses a request or fails. */
export class ObjectStorageAway extends Error {
  override readonly name = 'ObjectStorageAway';
}

/** The location of a bucket, the prefix in it, and the credentials. */
export interface S3Place {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The first part of each key: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The URL without credentials, with its endpoint and its region. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}
