/** The answer of a route before it is written. `body` is JSON text, or null if there is none. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of bytes, with the headers that describe them. */
export class Download {
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the size is not known before all bytes are written. */
  readonly sizeBytes: number | null;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(
    headers: Readonly<Record<string, string>>,
    sizeBytes: number | null,
    open: () => AsyncIterable<Uint8Array>,
  ) {
    this.headers = headers;
    this.sizeBytes = sizeBytes;
    this.open = open;
  }
}

/** An HTML page for a person. */
export class Page {
  readonly html: string;
  /** The CSP hash of the page's one script, `sha256-...`; null if it has none. */
  readonly scriptHash: string | null;

  constructor(html: string, { scriptHash = null }: { readonly scriptHash?: string | null } = {}) {
    this.html = html;
    this.scriptHash = scriptHash;
  }
}

/** The headers of foreign content, so that a browser never treats it as a page of ours. */
export const HARMLESS = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' } as const;
