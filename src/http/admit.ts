import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import type { Lifetime } from './lifetime.ts';
import { respondError } from './respond.ts';

/** Asked by those who watch the stop: it answers to the end. */
const HEALTH_PATH = '/_mailcap/health';

/** Seconds after which another server may stand where this one stops. */
export const RETRY_AFTER_S = 1;

/** Serves a request as one that is under way; a server that stops begins none (docs/contract.md#health-and-stopping). Rejects where `serve` does. */
export function admit(ctx: Context, exchange: Exchange, lifetime: Lifetime, serve: () => Promise<void>): Promise<void> {
  if (!lifetime.stopping || exchange.path === HEALTH_PATH) return lifetime.during(serve);
  respondError(exchange, refuse('shutting_down', { retryAfter: RETRY_AFTER_S }), ctx.log);
  return Promise.resolve();
}

/** A wait that found nothing says so only where its time passed. Throws `shutting_down` where the server's end cut it short. */
export function checkTimePassed({ closing }: Exchange): void {
  if (closing) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
}
