/** A part of an object, in bytes. */
export interface ObjectRange {
  readonly start: number;
  readonly length: number;
}

export interface ListedObject {
  readonly key: string;
  /** The time since the object was written, in milliseconds by the storage's own clock. */
  readonly ageMs: number;
}

/**
 * A bucket of an object storage. Objects never change: a key is written once, or again with the same bytes. Every
 * method throws {@link ObjectStorageAway} where the storage does not do what it was asked for.
 */
export interface ObjectStorage {
  /** The URL for people and for the record. It holds no credentials. */
  readonly url: string;
  /** Writes an object. Once it resolves, the object is durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object or a part of it. Throws {@link ObjectMissing}. */
  get(key: string, range?: ObjectRange): Promise<Buffer>;
  /** Removes objects. Those that are not there count as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Lists the objects whose keys begin with a prefix, page by page. */
  list(prefix: string): AsyncIterable<readonly ListedObject[]>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** The error for an object that is not there. */
export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(url: string, key: string) {
    super(`the object ${key} is missing in ${url}`);
  }
}

/** The error for a storage that can't be reached, that refuses, or that fails. */
export class ObjectStorageAway extends Error {
  override readonly name = 'ObjectStorageAway';
}

/** A bucket, the place in it, and who may use it. */
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
