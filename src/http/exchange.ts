import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, refuse } from '../domain/errors.ts';
import type { Random } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';

/**
 * A request and its answer on their way through the pipeline. It ends when the client hangs up or the server closes.
 */
export class Exchange implements CancelSignal {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** The path without the query. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
  /** The headers of the answer, whatever it will be, names and values in turn. */
  readonly headers: string[];
  /** The code of the error that the request was refused with; null if it was not refused. */
  refusal: ErrorCode | null = null;
  readonly #lifetime: Lifetime;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    params: Readonly<Record<string, string>>,
    lifetime: Lifetime,
    url = req.url ?? '/',
  ) {
    const mark = url.indexOf('?');
    this.req = req;
    this.res = res;
    this.requestId = requestId;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.params = params;
    this.headers = ['X-Request-Id', requestId];
    this.#lifetime = lifetime;
  }

  /** Returns an exchange for another route that answers a part of the same request. */
  asking(url: string, params: Readonly<Record<string, string>>): Exchange {
    return new Exchange(this.req, this.res, this.requestId, params, this.#lifetime, url);
  }

  /** `true` if the server is stopping, so that this is the last answer on the connection. */
  get stopping(): boolean {
    return this.#lifetime.stopping;
  }

  /** `true` if the server is closing, so that nothing more will come to wait for. */
  get closing(): boolean {
    return this.#lifetime.closing;
  }

  get isCancelled(): boolean {
    return this.closing || this.res.destroyed;
  }

  onCancel(act: () => void): () => void {
    if (this.isCancelled) {
      act();
      return () => {};
    }
    const { res } = this;
    const calledOff = this.#lifetime.onClose(act);
    res.once('close', act);
    return () => {
      calledOff();
      res.off('close', act);
    };
  }
}

/**
 * The two steps in which a server ends. A stopping server refuses new requests and finishes those under way. A closing
 * server also answers all waits, so that they do not delay the end.
 */
export class Lifetime {
  readonly #held = new Set<() => void>();
  readonly #onIdle = new Set<() => void>();
  #stopping = false;
  #closing = false;
  #underWay = 0;

  /** `true` once no new request is accepted. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** `true` once nothing more can come that a wait could return. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Calls `act` when the server closes. The returned function cancels it. */
  onClose(act: () => void): () => void {
    this.#held.add(act);
    return () => this.#held.delete(act);
  }

  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#stopping = true;
    this.#closing = true;
    for (const act of this.#held) act();
    this.#held.clear();
  }

  /** Counts a request as under way until `act` has settled. */
  async during(act: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await act();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) for (const tell of this.#onIdle) tell();
    }
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = () => {
        this.#onIdle.delete(tell);
        resolve();
      };
      this.#onIdle.add(tell);
    });
  }
}

/** The `Retry-After` of a refusal while the server stops, in seconds. Another server may have started by then. */
export const RETRY_AFTER_S = 1;

/** Throws `shutting_down` if the server's end cut a wait short. Otherwise the time of the wait passed. */
export function checkTimePassed({ closing }: Exchange): void {
  if (closing) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
}

/**
 * Creates a generator of request ids. They are unique across servers and restarts: a random beginning, then a counter.
 */
export function createRequestIds(random: Random): () => string {
  const start = Buffer.from(random.bytes(9)).toString('base64url');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
