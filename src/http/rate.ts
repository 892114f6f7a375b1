import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { PER_KEY, PER_WORKSPACE, WINDOW_MS } from '../domain/rate-limit.ts';
import type { Exchange } from './exchange.ts';
import type { ApiCaller } from './route.ts';

const SECONDS = WINDOW_MS / 1_000;
const POLICY = `${PER_KEY};w=${SECONDS};comment="key", ${PER_WORKSPACE};w=${SECONDS};comment="workspace"`;

/**
 * Counts the request and sets the rate limit headers. Throws `rate_limited`. If the workspace's limits are off it only
 * counts.
 */
export async function limitRate(ctx: Context, { headers }: Exchange, { key, workspace }: ApiCaller): Promise<void> {
  const counting = ctx.limiter.hit(key.id, workspace.id, ctx.clock.now());
  if (workspace.limits === 'off') {
    // The counter must be right if the limits are turned on later. An unreachable database also fails the reads of the
    // request, so this error is ignored.
    counting.catch(() => {});
    return;
  }
  const verdict = await counting;
  headers.push(
    'RateLimit-Limit',
    String(verdict.limit),
    'RateLimit-Remaining',
    String(verdict.remaining),
    'RateLimit-Reset',
    String(verdict.resetSeconds),
    'RateLimit-Policy',
    POLICY,
  );
  if (!verdict.allowed) throw refuse('rate_limited', { retryAfter: verdict.resetSeconds });
}
