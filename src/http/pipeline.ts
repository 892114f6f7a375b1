import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { authenticateCaller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { checkScope } from './find.ts';
import { checkLocal } from './local/guard.ts';
import { limitRate } from './rate.ts';
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
