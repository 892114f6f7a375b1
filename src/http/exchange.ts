import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../domain/errors.ts';
import type { Ending } from '../ports/ending.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * A request and its answer on their way through the pipeline. It ends when the client hangs up or the server closes.
 */
export class Exchange implements Ending {
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

  get ended(): boolean {
    return this.closing || this.res.destroyed;
  }

  onEnd(act: () => void): () => void {
    if (this.ended) {
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
