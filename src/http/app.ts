import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Context } from '../context.ts';
import { compatRoutes } from './compat/routes.ts';
import { applyHttpFault, trackRequest } from './entry.ts';
import { createRequestIds, Exchange, Lifetime } from './exchange.ts';
import { pages } from './local/documentation.ts';
import { checkLocal } from './local/guard.ts';
import { cloudOperations, localOperations } from './operations.ts';
import { type Methods, serveCloud, serveLocal, serveNothing, serveOptions } from './pipeline.ts';
import { respondError } from './respond.ts';
import { type Anyone, type ApiCaller, type Endpoint, routesOf } from './route.ts';
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
    (path: string, answer: (exchange: Exchange) => Promise<void>): RequestHandler =>
    async (req, res) => {
      // No path has a wildcard, so every parameter is one text.
      const exchange = new Exchange(req, res, nextId(), req.params as Record<string, string>, lifetime);
      await trackRequest(ctx, exchange, lifetime, async () => {
        if (!ctx.faults.has('http') || !(await applyHttpFault(ctx, exchange))) await answer(exchange);
      });
      if (res.headersSent) ctx.metrics.answered(req.method, path, res.statusCode);
    };
  // One handler serves all methods of a path. `app.all` would register it again for each of the 35 that Node knows.
  for (const [path, methods] of byPath(cloudRoutes))
    app.route(path).all(serve(path, (exchange) => serveCloud(ctx, exchange, methods)));
  for (const [path, methods] of byPath([...localRoutes, ...compatRoutes(ctx.config.compat)]))
    app.route(path).all(serve(path, (exchange) => serveLocal(ctx, exchange, methods)));

  app.route(MCP_PATH).all(serve(MCP_PATH, (exchange) => serveMcp(ctx, exchange)));

  // An unknown path passes the same checks as a known one before it gets a 404.
  const unknown = serve('unknown', (exchange) => {
    if (/^\/v1(\/|$)/.test(exchange.path)) return serveCloud(ctx, exchange, new Map());
    if (/^\/_mailcap(\/|$)/.test(exchange.path)) return serveLocal(ctx, exchange, new Map());
    if (exchange.path === '*' && exchange.req.method === 'OPTIONS') return serveOptions(exchange);
    return serveNothing(ctx, exchange);
  });
  app.use(unknown);
  // Express itself refuses only a path that can't be decoded.
  const undecodable: ErrorRequestHandler = (_error, req, res, next) => unknown(req, res, next);
  app.use(undecodable);
  return app;
}

/** Groups the routes of each path. A path with a parameter comes after those whose segments it would match. */
function byPath<Who>(routes: readonly Endpoint<Who>[]): Map<string, Methods<Who>> {
  const paths = new Map<string, Map<string, Endpoint<Who>>>();
  for (const route of routes) {
    const methods = paths.get(route.path) ?? new Map<string, Endpoint<Who>>();
    methods.set(route.method, route);
    paths.set(route.path, methods);
  }
  return new Map([...paths].sort(([one], [other]) => parameters(one) - parameters(other)));
}

function parameters(path: string): number {
  return path.split('/:').length;
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
