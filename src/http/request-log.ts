import type { IncomingMessage } from 'node:http';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { shorten } from '../text/shorten.ts';
import type { Exchange } from './exchange.ts';

// With --log-level debug, the log has a line for each HTTP request, with the id that its answer has. At any other level
// a request costs one comparison.

type Logger = Pick<Context, 'config' | 'log' | 'clock'>;

/** The longest path in the log, in characters. A client may send one of 16 KB. */
const MAX_PATH = 500;

/** Logs a request once its answer has left, or once its client has. */
export function logRequest(ctx: Logger, exchange: Exchange): void {
  if (ctx.config.logLevel !== 'debug') return;
  const { res } = exchange;
  const beganAt = ctx.clock.steady();
  let isLogged = false;
  const log = () => {
    if (isLogged) return;
    isLogged = true;
    logAnswer(ctx, exchange, res.headersSent ? res.statusCode : null, ctx.clock.steady() - beganAt);
  };
  res.once('finish', log).once('close', log);
}

/** Logs a request that another connection than that of HTTP answers: a WebSocket that was opened. */
export function logUpgrade(ctx: Logger, exchange: Exchange): void {
  if (ctx.config.logLevel === 'debug') logAnswer(ctx, exchange, 101, 0);
}

function logAnswer({ log }: Logger, exchange: Exchange, status: number | null, ms: number): void {
  const { req, path, requestId, refusal } = exchange;
  log.debug(status === null ? 'a request got no answer' : 'a request was answered', {
    method: req.method,
    path: loggable(path),
    status,
    ...(refusal !== null && { error: refusal }),
    ms: Math.round(ms),
    requestId,
  });
}

/** Logs a request that has no exchange, because it could not be read or HTTP/1.1 forbids it. */
export function logUnreadable(ctx: Logger, error: ErrorCode, requestId: string, req?: IncomingMessage): void {
  if (ctx.config.logLevel !== 'debug') return;
  const what = req === undefined ? {} : { method: req.method, path: loggable((req.url ?? '').replace(/\?.*/s, '')) };
  ctx.log.debug('a request was refused as unreadable', { ...what, error, requestId });
}

/** Hides the secrets of a path for the log: the key of a capture URL, and the token of an opened view. */
export function loggable(path: string): string {
  const plain = path
    .replace(/^\/hooks\/[^/]*/, '/hooks/:key')
    .replace(/^\/_mailcap\/view\/[^/]*/, '/_mailcap/view/:token');
  return shorten(plain, MAX_PATH);
}
