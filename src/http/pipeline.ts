import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { bearerKey, hashKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import { PER_KEY, PER_WORKSPACE, WINDOW_MS } from '../domain/rate-limit.ts';
import { offsetOf, timeOf } from '../domain/time.ts';
import { momentNow } from '../ports/system.ts';
import { TOOL_HEADER } from '../text/tool-header.ts';
import type { Exchange } from './exchange.ts';
import { checkLocal, checkTool } from './local/guard.ts';
import { checkScope } from './resolve.ts';
import { respond, respondError } from './respond.ts';
import type { Anyone, ApiCaller, Endpoint } from './route.ts';

// This module follows docs/contract.md#order-of-checks. The exchange already has its request id. An endpoint looks up
// the Idempotency-Key, finds the object in scope (404), parses (400), and applies the rules. Refusals that the key's
// scope alone decides come first.

/** The endpoints of a path by method. An unknown path has none. */
export type Methods<Who> = ReadonlyMap<string, Endpoint<Who>>;

/** Serves a request of the cloud API. */
export async function serveCloud(ctx: Context, exchange: Exchange, methods: Methods<ApiCaller>): Promise<void> {
  try {
    const caller = await authenticateCaller(ctx, exchange);
    await limitRate(ctx, exchange, caller);
    const endpoint = endpointOf(exchange, methods);
    checkScope(caller, endpoint.path, exchange.params);
    await respond(exchange, await endpoint.run(ctx, exchange, caller));
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
}

/** Serves a request of the local API or for a page. */
export async function serveLocal(ctx: Context, exchange: Exchange, methods: Methods<Anyone>): Promise<void> {
  try {
    await checkLocal(ctx, exchange);
    await respond(exchange, await endpointOf(exchange, methods).run(ctx, exchange, {}));
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
}

/** Serves a path of neither API with a 404. */
export async function serveNothing(ctx: Context, exchange: Exchange): Promise<void> {
  respondError(exchange, refuse('not_found'), ctx.log);
}

/** Answers `OPTIONS *`, which asks for what the server can do as a whole (RFC 9110 section 9.3.7). */
export async function serveOptions(exchange: Exchange): Promise<void> {
  exchange.headers.push('Allow', `${METHODS.join(', ')}, OPTIONS`);
  await respond(exchange, { status: 204, body: null });
}

function endpointOf<Who>({ req }: Exchange, methods: Methods<Who>): Endpoint<Who> {
  const endpoint = methods.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''));
  if (endpoint !== undefined) return endpoint;
  if (methods.size === 0) throw refuse('not_found');
  throw refuse('method_not_allowed', { allow: allowed(methods) });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns the header Allow (RFC 9110 section 10.2.1), always in the same order. */
function allowed(methods: Methods<unknown>): string {
  return METHODS.filter((method) => methods.has(method === 'HEAD' ? 'GET' : method)).join(', ');
}

/**
 * Returns the key of the request and its workspace. Throws `unauthorized` if the key is missing, malformed, unknown or
 * revoked (docs/contract.md#authentication-and-errors).
 */
async function authenticateCaller(ctx: Context, { req }: Exchange): Promise<ApiCaller> {
  const plaintext = bearerKey(req.headers.authorization);
  if (plaintext === null) throw refuse('unauthorized');
  const hash = hashKey(plaintext);
  const read = await ctx.store.readNow();
  const key = await read.keys.byHash(hash);
  if (key === null || key.revokedAt !== null) throw refuse('unauthorized');
  // The timing of a look-up by hash can reveal only the hash, not the key. The comparison below takes constant time.
  if (!timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash))) throw refuse('unauthorized');
  const workspace = await read.workspaces.get(key.workspaceId);
  if (workspace === null) throw refuse('unauthorized');
  return { key, workspace };
}

const SECONDS = WINDOW_MS / 1_000;
const POLICY = `${PER_KEY};w=${SECONDS};comment="key", ${PER_WORKSPACE};w=${SECONDS};comment="workspace"`;

/** The servers that have logged how to turn the limits off. Each logs it once. */
const told = new WeakSet<Context['limiter']>();

/**
 * Counts the request and sets the rate limit headers. Throws `rate_limited`. If the workspace's limits are off it only
 * counts. A request of mailcap's own tools is not counted.
 */
async function limitRate(ctx: Context, exchange: Exchange, { key, workspace }: ApiCaller): Promise<void> {
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
