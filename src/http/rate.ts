import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import type { Caller } from './route.ts';

/** Counts the request and says so in its answer. Throws `rate_limited`, unless the workspace's limits are off: then it counts only. */
export function limitRate(ctx: Context, { headers }: Exchange, { key, workspace }: Caller): void {
  const verdict = ctx.limiter.hit(key.id, workspace.id, ctx.clock.now());
  headers.push(
    'RateLimit-Limit',
    String(verdict.limit),
    'RateLimit-Remaining',
    String(verdict.remaining),
    'RateLimit-Reset',
    String(verdict.resetSeconds),
  );
  if (!verdict.allowed && workspace.limits !== 'off')
    throw refuse('rate_limited', { retryAfter: verdict.resetSeconds });
}
