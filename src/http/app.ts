import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { findKey } from '../actions/workspaces.ts';
import type { Context } from '../context.ts';
import { bearerKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import { PROVIDERS_PATH } from '../domain/provider.ts';
import { PER_KEY, PER_WORKSPACE, WINDOW_MS } from '../domain/rate-limit.ts';
import { offsetOf, timeOf } from '../domain/time.ts';
import { lazily } from '../lazily.ts';
import { momentNow } from '../ports/system.ts';
import { awsServiceOf } from '../providers/aws.ts';
import { TOOL_HEADER } from '../text/tool-header.ts';
import { compatRoutes } from './compat/routes.ts';
import {
  applyHttpFault,
  createRequestIds,
  Exchange,
  Lifetime,
  respond,
  respondError,
  trackRequest,
} from './exchange.ts';
import { pages } from './local/documentation.ts';
import { allowedOrigin, checkLocal, checkTool } from './local/guard.ts';
import { cloudOperations, localOperations } from './operations.ts';
import { probes } from './probes.ts';
import { type Anyone, type ApiCaller, byPath, checkScope, type Endpoint, routesOf } from './route.ts';
import { webInbox } from './web/inbox.ts';

/** The routes of the cloud API, in the order of docs/api.md. */
export const cloudRoutes: readonly Endpoint<ApiCaller>[] = routesOf(cloudOperations);

const localApi = routesOf(localOperations);

/** The routes of the local API in the order of docs/api.md#the-local-api, and the pages. */
export const localRoutes: readonly Endpoint<Anyone>[] = [
  ...localApi,
  ...webInbox(localApi),
  ...pages(cloudOperations, localOperations),
];

/** Creates the Express app of a server. */
export function createApp(ctx: Context, lifetime: Lifetime = new Lifetime()): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const nextId = createRequestIds(ctx.random);
  const serve =
    (
      path: string,
      answer: (exchange: Exchange) => Promise<void>,
      faultForm: Exchange['faultForm'] = null,
    ): RequestHandler =>
    async (req, res) => {
      // No path has a wildcard, so every parameter is one text.
      const exchange = new Exchange(req, res, nextId(), req.params as Record<string, string>, lifetime);
      exchange.faultForm = faultForm;
      await trackRequest(ctx, exchange, lifetime, async () => {
        if (!ctx.faults.has('http') || !(await applyHttpFault(ctx, exchange))) await answer(exchange);
      });
      if (res.headersSent) ctx.metrics.answered(req.method, path, res.statusCode);
    };
  // The SDK of AWS for Java drops the path of its endpoint. The signature names the service.
  app.post('/', (req, res, next) => {
    const service = awsServiceOf(req.headers);
    if (service === null) return next();
    req.url = `${PROVIDERS_PATH}${service}`;
    app(req, res);
  });
  // One handler serves all methods of a path. `app.all` would register it again for each of the 35 that Node knows.
  for (const [path, methods] of byPath(cloudRoutes))
    app.route(path).all(serve(path, (exchange) => serveCloud(ctx, exchange, methods)));
  for (const [path, methods] of byPath([...localRoutes, ...compatRoutes(ctx.config.compat), ...probes]))
    app.route(path).all(serve(path, (exchange) => serveLocal(ctx, exchange, methods)));

  app.route(MCP_PATH).all(serve(MCP_PATH, (exchange) => serveMcp(ctx, exchange)));

  // An unknown path passes the same checks as a known one before it gets a 404.
  const unknown = serve('unknown', (exchange) => {
    if (/^\/v1(\/|$)/.test(exchange.path)) return serveCloud(ctx, exchange, new Map());
    if (/^\/_mailcap(\/|$)/.test(exchange.path)) return serveLocal(ctx, exchange, new Map());
    if (exchange.path === '*' && exchange.req.method === 'OPTIONS') return serveOptions(exchange);
    return serveNothing(ctx, exchange);
  });
  // The providers are loaded for the first request to one of them.
  const providers = lazily(async (): Promise<RequestHandler> => {
    const { providersApp } = await import('./providers.ts');
    return providersApp(ctx, serve, (exchange) => serveNothing(ctx, exchange));
  });
  app.use(async (req, res, next) => {
    if (!req.url.startsWith(PROVIDERS_PATH)) return next();
    const handler = await providers().catch((error: unknown) =>
      serve(PROVIDERS_PATH, async (exchange) => respondError(exchange, error, ctx.log)),
    );
    handler(req, res, next);
  });
  app.use(unknown);
  // Express itself refuses only a path that can't be decoded.
  const undecodable: ErrorRequestHandler = (_error, req, res, next) => unknown(req, res, next);
  app.use(undecodable);
  return app;
}

/** The path of the tools for agents. */
const MCP_PATH = '/mcp';

/**
 * Serves a request of an agent (docs/agents.md) behind the guard of the local API. The SDK writes the answer, which is
 * JSON-RPC; a refusal before it is one of ours.
 */
async function serveMcp(ctx: Context, exchange: Exchange): Promise<void> {
  const { req, res, query, requestId } = exchange;
  const ended = exchange.onCancel(() => {
    if (exchange.closing) void ctx.agents.close();
  });
  try {
    await checkLocal(ctx, exchange);
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Cache-Control', 'no-store');
    await ctx.agents.serve(req, res, new URLSearchParams(query).get('caps') ?? '');
  } catch (error) {
    if (!res.headersSent) for (const name of res.getHeaderNames()) res.removeHeader(name);
    respondError(exchange, error, ctx.log);
  } finally {
    ended();
  }
}

// This module follows docs/contract.md#order-of-checks. The exchange already has its request id. An endpoint looks up
// the Idempotency-Key, finds the object in scope (404), parses (400), and applies the rules. Refusals that the key's
// scope alone decides come first.

/** The endpoints of a path by method. An unknown path has none. */
type Methods<Who> = ReadonlyMap<string, Endpoint<Who>>;

/** Serves a request of the cloud API. */
async function serveCloud(ctx: Context, exchange: Exchange, methods: Methods<ApiCaller>): Promise<void> {
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
async function serveLocal(ctx: Context, exchange: Exchange, methods: Methods<Anyone>): Promise<void> {
  const origin = allowedOrigin(ctx, exchange.path, exchange.req);
  if (origin !== null) exchange.headers.push(...corsHeaders(origin));
  try {
    // Browsers ask without the password whether they may ask with it.
    if (origin !== null && exchange.req.method === 'OPTIONS')
      return await respond(exchange, { status: 204, body: null });
    await checkLocal(ctx, exchange);
    await respond(exchange, await endpointOf(exchange, methods).run(ctx, exchange, {}));
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
}

/** The headers for a page of another site that may use the API (docs/drop-in.md#pages-of-other-sites). */
function corsHeaders(origin: string): string[] {
  return [
    ...['Access-Control-Allow-Origin', origin, 'Vary', 'Origin'],
    ...['Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS'],
    ...['Access-Control-Allow-Headers', 'Authorization, Content-Type, *'],
  ];
}

/** Serves a path of neither API with a 404. */
async function serveNothing(ctx: Context, exchange: Exchange): Promise<void> {
  respondError(exchange, refuse('not_found'), ctx.log);
}

/** Answers `OPTIONS *`, which asks for what the server can do as a whole (RFC 9110 section 9.3.7). */
async function serveOptions(exchange: Exchange): Promise<void> {
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
  const read = await ctx.store.readNow();
  const key = await findKey(read, plaintext);
  const workspace = key === null ? null : await read.workspaces.get(key.workspaceId);
  if (key === null || workspace === null) throw refuse('unauthorized');
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
