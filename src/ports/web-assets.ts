/** A built file of the web inbox. */
export interface WebAsset {
  readonly contentType: string;
  /** The content, compressed with Brotli at build time. */
  readonly brotli: Uint8Array;
  /** The content for clients that do not accept Brotli. It is compressed with gzip on first use. */
  readonly gzip: Uint8Array;
  readonly plain: Uint8Array;
}

/** The files of the web inbox. */
export interface WebAssets {
  /** Returns the HTML page, or null if the web inbox was not built. */
  page(): WebAsset | null;
  /** Returns a file by its name, which contains a hash of the content. Returns null if there is no such file. */
  get(name: string): WebAsset | null;
}
