// What the shell of an inbox reaches the world by. Whoever runs one gives these: a browser, or a test.

/** The local API of a server. Every call rejects with a {@link BackendError} where the answer is none. */
export interface Backend {
  /** JSON of a GET. */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** JSON of anything else; undefined where the answer has none. */
  send<T = undefined>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** Bytes of a GET. */
  bytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** What went wrong, as a code for programs and a sentence for people. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  /** The server's; `unreachable` where nothing answered. */
  readonly code: string;
  /** 0 where nothing answered. */
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: string, status: number, sentence: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.code = code;
    this.status = status;
    this.extra = extra;
  }
}

/** An event of the feed. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly workspaceId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One connection to the feed, until it is called off. */
export interface Feed {
  /** After an event, or from now on. `ended` is told once, with why. Gives back what ends it. */
  open(since: string | null, on: FeedListener): () => void;
}

export interface FeedListener {
  opened(): void;
  told(event: FeedEvent): void;
  ended(reason: string): void;
}

export interface Clock {
  now(): number;
  /** Calls once after so long; gives back what calls it off. */
  after(ms: number, act: () => void): () => void;
}

/** The machine of whoever looks. */
export interface Machine {
  copy(text: string): Promise<boolean>;
  /** Hands a file to be saved. */
  save(name: string, content: Blob): void;
  /** What is kept for all tabs; null where nothing is. */
  kept(name: string): string | null;
  keep(name: string, text: string): void;
  /** Tells when another tab keeps something. */
  onKept(act: (name: string) => void): void;
  notify(title: string, body: string, act: () => void): void;
}
