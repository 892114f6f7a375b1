/** What a route answers, before it is written. `body` is JSON text, null where there is none. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes as they are, with the headers that say what they are. */
export class Download {
  readonly headers: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(headers: Readonly<Record<string, string>>, sizeBytes: number, open: () => AsyncIterable<Uint8Array>) {
    this.headers = headers;
    this.sizeBytes = sizeBytes;
    this.open = open;
  }
}

/** A page for a human. */
export class Page {
  readonly html: string;
  /** Of its one script, `sha256-...`; null where it has none. */
  readonly scriptHash: string | null;

  constructor(html: string, { scriptHash = null }: { readonly scriptHash?: string | null } = {}) {
    this.html = html;
    this.scriptHash = scriptHash;
  }
}
