import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Exchange, Lifetime } from './exchange.ts';
import { logRequest, respondError } from './respond.ts';

/** The path of the health check, which is answered until the server closes. */
const HEALTH_PATH = '/_mailcap/health';

/** The `Retry-After` of a refusal while the server stops, in seconds. Another server may have started by then. */
export const RETRY_AFTER_S = 1;

/**
 * Serves a request and counts it as under way. A server that stops refuses new requests
 * (docs/guarantees.md#a-stop). Rejects if `serve` rejects.
 */
export function admit(ctx: Context, exchange: Exchange, lifetime: Lifetime, serve: () => Promise<void>): Promise<void> {
  logRequest(ctx, exchange);
  if (!lifetime.stopping || exchange.path === HEALTH_PATH) return lifetime.during(serve);
  respondError(exchange, refuse('shutting_down', { retryAfter: RETRY_AFTER_S }), ctx.log);
  return Promise.resolve();
}

/** Throws `shutting_down` if the server's end cut a wait short. Otherwise the time of the wait passed. */
export function checkTimePassed({ closing }: Exchange): void {
  if (closing) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
}
