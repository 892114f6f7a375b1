/** A built file of the web inbox. */
export interface WebAsset {
  readonly contentType: string;
  readonly plain: Uint8Array;
  /** The file compressed at build time. Null if compression does not make it smaller. */
  readonly brotli: Uint8Array | null;
  readonly gzip: Uint8Array | null;
}

/** The files of the web inbox. */
export interface WebAssets {
  /** The HTML page. Null if the web inbox was not built. */
  page(): WebAsset | null;
  /** Returns a file by name, or null. The name contains a hash of the content. */
  get(name: string): WebAsset | null;
}
