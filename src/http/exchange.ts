import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lifetime } from './lifetime.ts';

/** One request and its answer, as the pipeline passes it along. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Without the query. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
  /** Headers of whatever the answer will be, name and value in turn. */
  readonly headers: string[];
  /** The server is closing: this is the connection's last answer. */
  readonly closing: boolean;
  /** Aborts when the client hangs up, or the server closes. Made when first asked for. */
  signal(): AbortSignal;
}

export function createExchange(
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  params: Readonly<Record<string, string>>,
  lifetime: Lifetime,
): Exchange {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  let signal: AbortSignal | undefined;
  return {
    req,
    res,
    requestId,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    params,
    headers: ['X-Request-Id', requestId],
    get closing() {
      return lifetime.closing;
    },
    signal() {
      signal ??= lifetime.signalOf(res);
      return signal;
    },
  };
}
