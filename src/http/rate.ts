import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { offsetOf, timeOf } from '../domain/moment.ts';
import { PER_KEY, PER_WORKSPACE, WINDOW_MS } from '../domain/rate-limit.ts';
import { momentNow } from '../ports/clock.ts';
import { TOOL_HEADER } from '../text/tool-header.ts';
import type { Exchange } from './exchange.ts';
import { checkTool } from './local/guard.ts';
import type { ApiCaller } from './route.ts';

const SECONDS = WINDOW_MS / 1_000;
const POLICY = `${PER_KEY};w=${SECONDS};comment="key", ${PER_WORKSPACE};w=${SECONDS};comment="workspace"`;

/** The servers that have told how to turn the limits off. Each tells it once. */
const told = new WeakSet<Context['limiter']>();

/**
 * Counts the request and sets the rate limit headers. Throws `rate_limited`. If the workspace's limits are off it only
 * counts. A request of mailcap's own tools is not counted.
 */
export async function limitRate(ctx: Context, exchange: Exchange, { key, workspace }: ApiCaller): Promise<void> {
  if (await isOfTool(ctx, exchange)) return;
  const { headers } = exchange;
  const moment = momentNow(ctx.clock);
  const counting = ctx.limiter.hit(key.id, workspace.id, {
    now: timeOf(workspace, moment),
    offsetMs: offsetOf(workspace, moment),
  });
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
  if (verdict.allowed) return;
  tellOnce(ctx);
  throw refuse('rate_limited', { retryAfter: verdict.resetSeconds });
}

/**
 * Tells whether the request is of the command line or of an inbox. They say so, and prove it as for the local API, where
 * such a caller could turn the limits off. Throws `unauthorized` for a wrong token.
 */
async function isOfTool(ctx: Context, exchange: Exchange): Promise<boolean> {
  const given = exchange.req.headers[TOOL_HEADER];
  return typeof given === 'string' && checkTool(ctx, exchange, given);
}

function tellOnce({ limiter, log }: Context): void {
  if (told.has(limiter)) return;
  told.add(limiter);
  log.warn('a request met the rate limit and got a 429, as in the cloud; `--limits off` turns the limits off');
}
