// The ports of the web shell. The browser implements them, and tests replace them.

/** The local API of a server. A call rejects with a {@link BackendError} if the request fails. */
export interface Backend {
  /** Sends a GET request and returns its JSON. */
  get<T>(path: string, query?: QueryParams, signal?: AbortSignal): Promise<T>;
  /** Sends a request of another method and returns its JSON, or undefined if the answer has none. */
  send<T = undefined>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** Sends a GET request and returns its bytes. */
  bytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

export type QueryParams = Readonly<Record<string, string | number | null | undefined>>;

/** A failed request, with a code for programs and a sentence for people. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  /** The server's error code, or `unreachable` if no server answered. */
  readonly code: string;
  /** The HTTP status, or 0 if no server answered. */
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: string, status: number, sentence: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.code = code;
    this.status = status;
    this.extra = extra;
  }
}

export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly workspaceId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A source of feed connections. */
export interface FeedSource {
  /**
   * Connects to the feed after the event `since`, or from now on if it is null. `ended` is called once with the reason.
   * The returned function closes the connection.
   */
  open(since: string | null, on: FeedListener): () => void;
}

export interface FeedListener {
  opened(): void;
  told(events: readonly FeedEvent[]): void;
  ended(reason: string): void;
}

export interface ShellClock {
  now(): number;
  /** Calls a function once after a delay. The returned function cancels it. */
  after(ms: number, act: () => void): () => void;
}

/** The functions of the reader's browser that the shell uses. */
export interface Machine {
  copy(text: string): Promise<boolean>;
  /** Tells whether a message covers the list, as on a phone. */
  isNarrow(): boolean;
  /** Offers a file as a download. */
  save(name: string, content: Blob): void;
  /** Returns a stored value that all tabs share, or null if there is none. */
  kept(name: string): string | null;
  keep(name: string, text: string): void;
  /** Registers a function that runs when another tab stores a value. */
  onKept(act: (name: string) => void): void;
  notify(title: string, body: string, act: () => void): void;
}
