import type { IncomingMessage, ServerResponse } from 'node:http';
import { captureRequest } from '../actions/capture-request.ts';
import { pauseUntil } from '../actions/pause.ts';
import type { Context } from '../context.ts';
import { largestCapture } from '../domain/capture-quota.ts';
import { ApiError, refuse } from '../domain/errors.ts';
import type { Headers } from '../domain/forwarding.ts';
import type { ScriptedResponse } from '../domain/webhook.ts';
import { admit } from './admit.ts';
import { ArrivingBodies } from './arriving-bodies.ts';
import { readCaptured } from './capture-body.ts';
import { Exchange } from './exchange.ts';
import { applyHttpFault } from './faults.ts';
import type { Lifetime } from './lifetime.ts';
import { createRequestIds } from './request-id.ts';
import { drop, respondCaptured, respondError } from './respond.ts';

// This module implements docs/api.md#capture-urls. Anybody who knows the key may send any HTTP request. It is recorded
// unchanged.

/** What the path of a capture URL begins with. */
export const CAPTURES = '/hooks/';

/** The share of each quota that bodies may take while they arrive: an eighth, and a quarter. */
const ARRIVING_SHARE = { webhook: 8, server: 4 };

/** Tells whether a request is for a capture URL. */
export function isCapture({ url }: IncomingMessage): boolean {
  return url?.startsWith(CAPTURES) ?? false;
}

/**
 * Creates the handler of all methods at /hooks/:key/*. It runs before Express, which would double the cost of a
 * capture.
 */
export function createCapture(ctx: Context, lifetime: Lifetime): (req: IncomingMessage, res: ServerResponse) => void {
  const nextId = createRequestIds(ctx.random);
  const { captureQuota, captureTotal } = ctx.config;
  const limits = { webhook: captureQuota / ARRIVING_SHARE.webhook, server: captureTotal / ARRIVING_SHARE.server };
  const arriving = new ArrivingBodies(limits, ctx.clock);
  return (req, res) => {
    const exchange = new Exchange(req, res, nextId(), {}, lifetime);
    void admit(ctx, exchange, lifetime, () => serve(ctx, exchange, arriving));
  };
}

/** Serves a capture. It never rejects. */
async function serve(ctx: Context, exchange: Exchange, arriving: ArrivingBodies): Promise<void> {
  const { req, res } = exchange;
  try {
    if (!ctx.faults.has('http') || !(await applyHttpFault(ctx, exchange))) await capture(ctx, exchange, arriving);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'capture_quota_reached') ctx.metrics.captureRefused();
    respondError(exchange, error, ctx.log);
  }
  if (res.headersSent) ctx.metrics.answered(req.method ?? '', '/hooks/:key', res.statusCode);
}

async function capture(ctx: Context, exchange: Exchange, arriving: ArrivingBodies): Promise<void> {
  const { req } = exchange;
  const { key, path, query } = split(req.url ?? '');
  const webhook = await ctx.store.read.webhooks.byKey(key);
  if (webhook === null) throw refuse('not_found');
  const place = arriving.enter(webhook.id, () => drop(exchange));
  let response: ScriptedResponse;
  try {
    const headers = pairs(req.rawHeaders);
    response = await captureRequest(ctx, webhook, {
      method: req.method ?? '',
      path,
      query,
      headers,
      contentType: headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null,
      sourceIp: req.socket.remoteAddress ?? null,
      body: await readCaptured(req, { blobs: ctx.store.blobs, most: largestCapture(ctx.config), place }),
      // From now on the quotas count the bytes, and a slow target holds up no other body.
      onRecorded: () => place.leave(),
    });
  } finally {
    place.leave();
  }
  if (response.delayMs > 0) await pauseUntil(ctx.clock, response.delayMs, exchange);
  if ('drop' in response) drop(exchange);
  else respondCaptured(exchange, response);
}

/** Splits a URL into the capture key, the path and the query. Path and query stay as sent. */
function split(url: string): { key: string; path: string; query: string | null } {
  const mark = url.indexOf('?');
  const whole = mark < 0 ? url : url.slice(0, mark);
  const slash = whole.indexOf('/', CAPTURES.length);
  return {
    key: whole.slice(CAPTURES.length, slash < 0 ? undefined : slash),
    path: slash < 0 ? '/' : whole.slice(slash),
    query: mark < 0 || mark === url.length - 1 ? null : url.slice(mark + 1),
  };
}

function pairs(rawHeaders: readonly string[]): Headers {
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  return headers;
}
