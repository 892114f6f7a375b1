import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { authenticate } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { checkLocal } from './local/guard.ts';
import { limitRate } from './rate.ts';
import { respond, respondError } from './respond.ts';
import type { Anyone, Caller, Endpoint } from './route.ts';
import { checkScope } from './scope.ts';

// docs/contract.md#order-of-checks. The exchange comes with its request id; an endpoint's run is: what is on record for the
// Idempotency-Key, find in scope (404), parse (400), the rules. What the key's scope alone tells is told before.

/** What answers a path, by method; a path nobody knows answers nothing. */
export type Methods<Who> = ReadonlyMap<string, Endpoint<Who>>;

/** The cloud API. */
export async function serveCloud(ctx: Context, exchange: Exchange, methods: Methods<Caller>): Promise<void> {
  try {
    const caller = await authenticate(ctx, exchange);
    limitRate(ctx, exchange, caller);
    const endpoint = endpointOf(exchange, methods);
    checkScope(caller, exchange.params);
    await respond(exchange, await endpoint.run(ctx, exchange, caller));
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
}

/** The local API, and the page. */
export async function serveLocal(ctx: Context, exchange: Exchange, methods: Methods<Anyone>): Promise<void> {
  try {
    checkLocal(ctx, exchange.req, exchange.path);
    await respond(exchange, await endpointOf(exchange, methods).run(ctx, exchange, {}));
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
}

/** A path that belongs to neither. */
export async function serveNothing(ctx: Context, exchange: Exchange): Promise<void> {
  respondError(exchange, refuse('not_found'), ctx.log);
}

function endpointOf<Who>({ req }: Exchange, methods: Methods<Who>): Endpoint<Who> {
  const endpoint = methods.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''));
  if (endpoint !== undefined) return endpoint;
  if (methods.size === 0) throw refuse('not_found');
  throw refuse('method_not_allowed', { allow: allowed(methods) });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The header Allow, RFC 9110 10.2.1, in one order however the endpoints were registered. */
function allowed(methods: Methods<unknown>): string {
  return METHODS.filter((method) => methods.has(method === 'HEAD' ? 'GET' : method)).join(', ');
}
