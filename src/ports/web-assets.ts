/** A built file of the web inbox. */
export interface WebAsset {
  readonly contentType: string;
  /** The file compressed at build time. */
  readonly brotli: Uint8Array;
  /** The file for a client that does not take Brotli. It is compressed when it is first read. */
  readonly gzip: Uint8Array;
  readonly plain: Uint8Array;
}

/** The files of the web inbox. */
export interface WebAssets {
  /** The HTML page. Null if the web inbox was not built. */
  page(): WebAsset | null;
  /** Returns a file by name, or null. The name contains a hash of the content. */
  get(name: string): WebAsset | null;
}
