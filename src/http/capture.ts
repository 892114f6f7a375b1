import type { IncomingMessage, ServerResponse } from 'node:http';
import { captureRequest, type IncomingBody } from '../actions/captures.ts';
import { ChunkBuffer } from '../actions/stored-bytes.ts';
import { pauseUntil } from '../actions/time.ts';
import type { Context } from '../context.ts';
import { type Headers, largestCapture } from '../domain/captured-request.ts';
import { ApiError, refuse, there } from '../domain/errors.ts';
import type { WebhookId } from '../domain/ids.ts';
import type { ScriptedResponse } from '../domain/webhook.ts';
import type { Blobs, BlobWriter } from '../ports/store.ts';
import type { Clock } from '../ports/system.ts';
import {
  applyHttpFault,
  createRequestIds,
  drop,
  Exchange,
  type Lifetime,
  respondCaptured,
  respondError,
  trackRequest,
} from './exchange.ts';

// This module implements docs/webhooks.md#capture. Anybody who knows the key may send any HTTP request. It is recorded
// unchanged.

/** The beginning of the path of each webhook URL. */
export const CAPTURES = '/hooks/';

/** The share of each quota that bodies may take while they arrive: an eighth, and a quarter. */
const ARRIVING_SHARE = { webhook: 8, server: 4 };

/** Tells whether a request is for a webhook URL. */
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
    void trackRequest(ctx, exchange, lifetime, () => serve(ctx, exchange, arriving));
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
  const webhook = there(await ctx.store.read.webhooks.byKey(key));
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

/** Splits a URL into the key, the path and the query. Path and query stay as sent. */
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

/** Returns the header fields of a request as it sent them. */
export function pairs(rawHeaders: readonly string[]): Headers {
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  return headers;
}

/**
 * The largest body of a captured request, in bytes. A larger one gets a 413 and is not recorded
 * (docs/webhooks.md#capture).
 */
const BODY_LIMIT = 10 * 1024 * 1024;
/** The bytes of a body that need no room among the arriving ones. Most webhooks are smaller. */
const FREE_BYTES = 4 * 1024;
/** The room of a body of unknown length until it goes to the store. */
const FIRST_ROOM_BYTES = 128 * 1024;

/** The destination of a body, and the bounds that it meets on the way. */
export interface CaptureTarget {
  readonly blobs: Blobs;
  /** The largest request that the quotas have room for, in bytes. */
  readonly most: number;
  readonly place: Place;
}

/**
 * Reads the body byte for byte; null if the request has none (RFC 9112 section 6.3). Throws `payload_too_large` and
 * `capture_quota_reached`. The caller leaves the place when the request is recorded.
 */
async function readCaptured(req: IncomingMessage, capturing: CaptureTarget): Promise<IncomingBody | null> {
  const { blobs, most, place } = capturing;
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers;
  if (encoding === undefined && length === undefined) return null;
  const check = (bytes: number): void => {
    if (bytes > BODY_LIMIT) throw refuse('payload_too_large');
    if (bytes > most) throw refuse('capture_quota_reached', { limit_bytes: most });
  };
  const declared = encoding === undefined ? Number(length) : null;
  check(declared ?? 0);
  let room = FREE_BYTES;
  if (declared !== null && declared > room) {
    await place.grow(declared);
    room = declared;
  }
  const incoming = new ChunkBuffer();
  let sizeBytes = 0;
  let writer: BlobWriter | null = null;
  try {
    // The stream stays open after an early end, because the answer goes out on this connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      check(sizeBytes);
      if (sizeBytes > room) {
        const wanted =
          room < FIRST_ROOM_BYTES && sizeBytes <= FIRST_ROOM_BYTES ? FIRST_ROOM_BYTES : Math.min(BODY_LIMIT, most);
        await place.grow(room === FREE_BYTES ? wanted : wanted - room);
        room = wanted;
      }
      if (!incoming.push(chunk)) continue;
      writer ??= blobs.writer();
      for (const part of incoming.take()) await writer.write(part);
    }
    if (writer === null) return { bytes: incoming.takeWhole(), sizeBytes };
    for (const part of incoming.take()) await writer.write(part);
  } catch (error) {
    writer?.abort();
    throw error;
  }
  return { ref: await writer.finish(), sizeBytes };
}

// Bodies that are still arriving count against no quota yet, and a sender may take minutes for one. So they have a bound
// of their own (docs/webhooks.md#how-much-is-kept).

/** How long in milliseconds a body waits for room, and after which time a slow one has to give way to it. */
const PATIENCE_MS = 10_000;
/** The `Retry-After` of a body without room, in seconds. */
const RETRY_AFTER_S = 1;

/** The most bytes that may arrive at once. */
interface ArrivingLimits {
  /** In the requests to one webhook. */
  readonly webhook: number;
  /** In all requests. */
  readonly server: number;
}

/** The room that one body takes. */
export interface Place {
  /** Makes the room larger. Waits for it, and throws `capture_quota_reached` if there is none in time. */
  grow(bytes: number): Promise<void>;
  leave(): void;
}

interface Holder {
  readonly webhookId: WebhookId;
  readonly end: () => void;
  since: number;
  bytes: number;
}

interface Waiter {
  readonly holder: Holder;
  readonly bytes: number;
  readonly go: () => void;
}

/** Bounds the bytes of the captured bodies that are arriving. */
export class ArrivingBodies {
  readonly #limits: ArrivingLimits;
  readonly #clock: Pick<Clock, 'after' | 'steady'>;
  readonly #byWebhook = new Map<WebhookId, number>();
  readonly #holders = new Set<Holder>();
  readonly #waiters = new Set<Waiter>();
  #bytes = 0;

  constructor(limits: ArrivingLimits, clock: Pick<Clock, 'after' | 'steady'>) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Enters a body that takes nothing yet. `end` ends its request if it is slow and another body needs the room. */
  enter(webhookId: WebhookId, end: () => void): Place {
    const holder: Holder = { webhookId, end, since: 0, bytes: 0 };
    return {
      grow: (bytes) => this.#grow(holder, bytes),
      leave: () => {
        if (!this.#holders.delete(holder)) return;
        this.#count(holder, -holder.bytes);
        this.#admit();
      },
    };
  }

  async #grow(holder: Holder, bytes: number): Promise<void> {
    if (this.#waiters.size === 0 && this.#fits(holder, bytes)) return this.#take(holder, bytes);
    let timeOut = () => {};
    const mayGo = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { holder, bytes, go: () => resolve(true) };
      this.#waiters.add(waiter);
      timeOut = this.#clock.after(PATIENCE_MS, () => {
        if (!this.#waiters.delete(waiter)) return;
        this.#endSlow();
        resolve(false);
      });
      this.#admit();
      this.#endSlow();
    });
    timeOut();
    if (!mayGo) throw refuse('capture_quota_reached', { limit_bytes: this.#limits.webhook, retryAfter: RETRY_AFTER_S });
  }

  /** Lets the bodies in that have room now, the oldest first. A body to a full webhook holds up no other one. */
  #admit(): void {
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.holder, waiter.bytes)) continue;
      this.#waiters.delete(waiter);
      this.#take(waiter.holder, waiter.bytes);
      waiter.go();
    }
  }

  /** Ends the requests that have kept their room for long. The others arrive in time or become slow themselves. */
  #endSlow(): void {
    const before = this.#clock.steady() - PATIENCE_MS;
    for (const holder of [...this.#holders]) {
      if (holder.since > before) continue;
      holder.since = Number.POSITIVE_INFINITY;
      holder.end();
    }
  }

  /** A body that is alone always has room, even one that is larger than the limit. */
  #fits({ webhookId, bytes: held }: Holder, more: number): boolean {
    const others = (this.#byWebhook.get(webhookId) ?? 0) - held;
    const all = this.#bytes - held;
    return fits(others, held + more, this.#limits.webhook) && fits(all, held + more, this.#limits.server);
  }

  #take(holder: Holder, bytes: number): void {
    if (holder.bytes === 0) holder.since = this.#clock.steady();
    this.#holders.add(holder);
    holder.bytes += bytes;
    this.#count(holder, bytes);
  }

  #count({ webhookId }: Holder, by: number): void {
    this.#bytes += by;
    const own = (this.#byWebhook.get(webhookId) ?? 0) + by;
    if (own === 0) this.#byWebhook.delete(webhookId);
    else this.#byWebhook.set(webhookId, own);
  }
}

function fits(others: number, bytes: number, limit: number): boolean {
  return others === 0 || others + bytes <= limit;
}
