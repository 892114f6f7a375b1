/** A file of the web inbox as it was built. */
export interface WebAsset {
  readonly contentType: string;
  readonly plain: Uint8Array;
  /** Compressed ahead of time, null where that saves nothing. */
  readonly brotli: Uint8Array | null;
  readonly gzip: Uint8Array | null;
}

/** The web inbox's files. */
export interface WebAssets {
  /** The page itself, null where the inbox was not built. */
  page(): WebAsset | null;
  /** A file by its name, which changes with its content; null where there is none. */
  get(name: string): WebAsset | null;
}
