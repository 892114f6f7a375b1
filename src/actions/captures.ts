import type { Context } from '../context.ts';
import {
  type CapturedRequest,
  excessOf,
  type ForwardOutcome,
  forwardAfterAttempt,
  forwardedHeaders,
  forwardTarget,
  type Headers,
  heldBytes,
  isForwardDue,
  largestCapture,
  SYNC_LEASE_MS,
} from '../domain/captured-request.ts';
import { ApiError, refuse, there } from '../domain/errors.ts';
import type { CapturedRequestId, WebhookId } from '../domain/ids.ts';
import type { BlobRef } from '../domain/message.ts';
import { configuredResponse, type ScriptedResponse, type Webhook } from '../domain/webhook.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { jsonOrNull } from '../text/unknown.ts';
import { type EventName, eventNameOf } from '../webhooks/event-name.ts';
import { targetFor } from '../webhooks/exchange.ts';
import { recordEvent } from './record-event.ts';
import { readWhile, streamWhile } from './stored-bytes.ts';
import { timeIn } from './time.ts';

interface IncomingRequest {
  readonly method: string;
  /** The part of the path after the key, exactly as the client sent it. */
  readonly path: string;
  readonly query: string | null;
  readonly headers: Headers;
  readonly contentType: string | null;
  readonly sourceIp: string | null;
  readonly body: IncomingBody | null;
  /** Reports that the request is recorded, or that it will not be. Its forwarding may take longer. */
  readonly onRecorded?: () => void;
}

/**
 * The body of a request: a small one as bytes, a large one as a blob that the store already holds. The blob is
 * discarded if the request is not recorded.
 */
export type IncomingBody =
  | { readonly bytes: Buffer; readonly sizeBytes: number }
  | { readonly ref: BlobRef; readonly sizeBytes: number };

/**
 * Records a request to a webhook's URL. Returns the response to send. Settles when the record is durable
 * and visible; with `sync` forwarding it settles when the outcome is recorded. Throws `not_found` if the webhook
 * was deleted meanwhile, and `capture_quota_reached` if the request is larger than the quota.
 */
export async function captureRequest(
  ctx: Context,
  webhook: Webhook,
  incoming: IncomingRequest,
): Promise<ScriptedResponse> {
  const { blobs } = ctx.store;
  const { body: sent } = incoming;
  const refs: BlobRef[] = [];
  let captured: Captured;
  try {
    const body = sent === null ? null : 'ref' in sent ? sent.ref : await blobs.put(sent.bytes);
    if (body !== null) refs.push(body);
    const fields = Buffer.from(JSON.stringify(incoming.headers));
    const headers = await blobs.put(fields);
    refs.push(headers);
    captured = await record(ctx, webhook, incoming, { headers, headerBytes: fields.length, body });
  } catch (error) {
    blobs.discard(refs);
    throw error;
  } finally {
    incoming.onRecorded?.();
  }
  if (captured.trimmed > 0) ctx.metrics.capturesTrimmed(captured.trimmed);
  if (captured.forwardNow) await forwardNow(ctx, captured.id);
  return captured.response;
}

/**
 * Forwards the request at once. A failure does not change the caller's response: the worker repeats an attempt that
 * could not be recorded.
 */
async function forwardNow(ctx: Context, id: CapturedRequestId): Promise<void> {
  try {
    await forwardRequest(ctx, id, 'now');
  } catch (error) {
    ctx.log.error('the outcome of a forward could not be recorded', { requestId: id, error });
  }
}

interface Captured {
  readonly id: CapturedRequestId;
  readonly response: ScriptedResponse;
  readonly forwardNow: boolean;
  /** The number of older requests that made room. */
  readonly trimmed: number;
}

function record(
  ctx: Context,
  { id: webhookId }: Webhook,
  incoming: IncomingRequest,
  stored: Pick<CapturedRequest, 'headers' | 'body'> & { readonly headerBytes: number },
): Promise<Captured> {
  const { method, path, query, contentType, sourceIp } = incoming;
  const facts = { method, path, query, contentType, sizeBytes: incoming.body?.sizeBytes ?? 0, sourceIp, ...stored };
  const bytes = heldBytes({ ...facts, forwardError: null });
  return ctx.store.transaction(async (tx) => {
    // The row is read again, so that nothing is recorded for a webhook that was deleted.
    const webhook = there(await tx.webhooks.get(webhookId));
    const response = (await tx.webhooks.takeResponse(webhookId)) ?? configuredResponse(webhook);
    const trimmed = await makeRoomForCapture(ctx, tx, webhookId, bytes);
    const now = await timeIn(ctx, tx, webhook.workspaceId);
    const id = ctx.ids.next<CapturedRequestId>(realTime(ctx.clock), await tx.events.lastId());
    const isForwarded = forwardTarget(webhook) !== null;
    const forwardNow = isForwarded && webhook.forwardMode === 'sync';
    await tx.requests.insert({
      id,
      workspaceId: webhook.workspaceId,
      webhookId,
      receivedAt: now,
      ...facts,
      // A dropped connection has no HTTP status.
      responseStatus: 'drop' in response ? 0 : response.status,
      forwardStatus: isForwarded ? 'pending' : 'none',
      forwardAttempts: 0,
      forwardedAt: null,
      forwardHttpStatus: null,
      forwardError: null,
      forwardResponse: null,
      nextForwardAt: isForwarded ? now + (forwardNow ? SYNC_LEASE_MS : 0) : null,
    });
    return { id, response, forwardNow, trimmed };
  });
}

/** The number of requests that one step removes. More go only if the new request needs their room. */
const BATCH = 500;

/**
 * Removes the oldest captured requests until `bytes` more of a webhook fit into its quota and into that of the
 * server. Over the quota of the server, the webhook that holds the most gives way, so that a flood on one URL does
 * not remove what others captured. Returns the number of removed requests. Throws `capture_quota_reached` if the bytes
 * never fit.
 */
async function makeRoomForCapture(ctx: Context, tx: Tx, webhookId: WebhookId, bytes: number): Promise<number> {
  const { captureQuota, captureTotal } = ctx.config;
  const most = largestCapture(ctx.config);
  if (bytes > most) throw refuse('capture_quota_reached', { limit_bytes: most });
  let removed = 0;
  for (;;) {
    const excess = excessOf((await tx.requests.heldBytes(webhookId)) + bytes, captureQuota);
    const gone = excess === null ? 0 : await trim(ctx, tx, webhookId, excess);
    if (gone === 0) break;
    removed += gone;
  }
  for (;;) {
    const excess = excessOf((await tx.counts()).capturedBytes + bytes, captureTotal);
    const holder = excess === null ? null : await tx.requests.largestHolder();
    const gone = excess === null || holder === null ? 0 : await trim(ctx, tx, holder, excess);
    if (gone === 0) break;
    removed += gone;
  }
  return removed;
}

/** Removes the oldest requests of a webhook, tells the feed, and returns their number. */
async function trim(ctx: Context, tx: Tx, webhookId: WebhookId, bytes: number): Promise<number> {
  const trimmed = await tx.requests.trim(webhookId, bytes, BATCH);
  const webhook = await tx.webhooks.get(webhookId);
  if (trimmed === null || webhook === null) return 0;
  const { count, upTo } = trimmed;
  await recordEvent(ctx, tx, 'webhook.trimmed', webhook.workspaceId, { webhookId, count, upTo, reason: 'quota' });
  return count;
}

/**
 * Makes one attempt to forward a pending request and records the outcome. With `due` it makes none before the attempt
 * is due. Returns the milliseconds until the next attempt by the clock of the workspace, or null if there is none: the request was delivered, failed
 * permanently, or was deleted.
 */
export async function forwardRequest(
  ctx: Context,
  id: CapturedRequestId,
  when: 'now' | 'due',
  signal?: AbortSignal,
): Promise<number | null> {
  const { read } = ctx.store;
  const request = await read.requests.get(id, momentNow(ctx.clock));
  if (request?.forwardStatus !== 'pending') return null;
  const now = await timeIn(ctx, read, request.workspaceId);
  const dueAt = request.nextForwardAt ?? now;
  if (when === 'due' && !isForwardDue(dueAt, now)) return dueAt - now;
  const webhook = await read.webhooks.get(request.webhookId);
  const forwardUrl = webhook === null ? null : forwardTarget(webhook);
  const outcome: ForwardOutcome =
    forwardUrl === null
      ? { kind: 'refused', error: 'forwarding was turned off' }
      : await attempt(ctx, request, forwardUrl, signal);
  // The server is stopping and cut the attempt off. The next start repeats it.
  if (signal?.aborted && outcome.kind === 'unreachable') return dueAt - now;
  const recorded = await recordOutcome(ctx, id, outcome, {
    retries: webhook?.forwardMode === 'async',
    // A replay may have finished the request meanwhile.
    applies: (current) => current.forwardStatus === 'pending',
  });
  if (recorded === null || recorded.nextForwardAt === null) return null;
  return recorded.nextForwardAt - (await timeIn(ctx, read, recorded.workspaceId));
}

/** Forwards the request unchanged to the target. Throws `not_found` if it was deleted meanwhile. */
export async function attempt(
  ctx: Context,
  request: CapturedRequest,
  forwardUrl: string,
  signal?: AbortSignal,
): Promise<ForwardOutcome> {
  const target = targetFor(forwardUrl, request);
  try {
    const headers = forwardedHeaders(await readHeaders(ctx, request), target);
    if (headers === null) return { kind: 'refused', error: 'webhooks forward to each other in a circle' };
    const body = await readBody(ctx, request);
    const { method } = request;
    return await ctx.fetcher.send({ target, method, headers, body, ...(signal !== undefined && { signal }) });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    ctx.log.error('a captured request could not be read to be forwarded', { requestId: request.id, error });
    return { kind: 'refused', error: 'what was captured could not be read' };
  }
}

interface Recording {
  readonly retries: boolean;
  applies(current: CapturedRequest): boolean;
}

/**
 * Writes the outcome of an attempt to the request. Records an event once forwarding is finished. Returns the updated
 * row, or null if it is gone or `applies` rejects it.
 */
async function recordOutcome(
  ctx: Context,
  id: CapturedRequestId,
  outcome: ForwardOutcome,
  { retries, applies }: Recording,
): Promise<CapturedRequest | null> {
  const { blobs } = ctx.store;
  const hasAnswer = outcome.kind === 'answered' && outcome.beginning.length > 0;
  const forwardResponse = hasAnswer ? await blobs.put(outcome.beginning) : null;
  let recorded: CapturedRequest | null = null;
  try {
    recorded = await ctx.store.transaction(async (tx) => {
      const current = await tx.requests.get(id, momentNow(ctx.clock));
      if (current === null || !applies(current)) return null;
      const now = await timeIn(ctx, tx, current.workspaceId);
      const forwarded = forwardAfterAttempt(current, outcome, { now, retries });
      const forwardResponseBytes = hasAnswer ? outcome.beginning.length : 0;
      const updated = await tx.requests.update(id, { ...forwarded, forwardResponse, forwardResponseBytes });
      // The answer of the target counts too. The request itself may go, if it is the oldest.
      await makeRoomForCapture(ctx, tx, current.webhookId, 0);
      if (updated !== null && updated.forwardStatus !== 'pending') await tell(ctx, tx, updated);
      return updated;
    });
    return recorded;
  } finally {
    if (recorded === null && forwardResponse !== null) blobs.discard([forwardResponse]);
  }
}

async function tell(ctx: Context, tx: Tx, request: CapturedRequest): Promise<void> {
  const { id: requestId, webhookId, workspaceId, forwardStatus, forwardHttpStatus, forwardAttempts } = request;
  const data = { webhookId, requestId, forwardStatus, forwardHttpStatus, forwardAttempts };
  await recordEvent(ctx, tx, 'webhook.forwarded', workspaceId, data);
}

/**
 * Forwards a captured request again in one attempt and records the outcome. Throws `invalid_forward` and `not_found`.
 */
export async function replayRequest(ctx: Context, request: CapturedRequest): Promise<void> {
  const forwardUrl = forwardTarget(there(await ctx.store.read.webhooks.get(request.webhookId)));
  if (forwardUrl === null) throw refuse('invalid_forward');
  const outcome = await attempt(ctx, request, forwardUrl);
  there(await recordOutcome(ctx, request.id, outcome, { retries: false, applies: () => true }));
}

/** The facts that a list tells of a captured request besides its summary. */
export interface RequestPreview extends EventName {
  readonly id: CapturedRequestId;
}

/** The most bytes of a body that are read for its event. A larger body names none. */
const NAMED_BYTES = 256 * 1024;

/** Reads what captured requests are about, by id. It leaves out requests that no longer exist. */
export async function getRequestPreviews(ctx: Context, ids: readonly CapturedRequestId[]): Promise<RequestPreview[]> {
  const previews = await Promise.all(ids.map((id) => previewOfRequest(ctx, id)));
  return previews.filter((preview) => preview !== null);
}

async function previewOfRequest(ctx: Context, id: CapturedRequestId): Promise<RequestPreview | null> {
  const request = await ctx.store.read.requests.get(id, momentNow(ctx.clock));
  if (request === null) return null;
  try {
    const headers = new Map((await readHeaders(ctx, request)).map(([name, value]) => [name.toLowerCase(), value]));
    return { id, ...eventNameOf(headers, await jsonBody(ctx, request)) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Returns the JSON body of a request; null if it has none, or a large one. */
async function jsonBody(ctx: Context, request: CapturedRequest): Promise<unknown> {
  if (request.body === null || request.sizeBytes > NAMED_BYTES) return null;
  const bytes = await readBlob(ctx, request, request.body);
  return /^\s*\{/.test(bytes.subarray(0, 64).toString('latin1')) ? jsonOrNull(bytes.toString('utf8')) : null;
}

/** Reads the header fields in order, with their original case and with repeated fields. */
export async function readHeaders(ctx: Context, request: CapturedRequest): Promise<Headers> {
  const bytes = await readBlob(ctx, request, request.headers);
  // The cast is safe: only captureRequest writes these bytes.
  return JSON.parse(bytes.toString('utf8')) as Headers;
}

/** The largest body, in bytes, that is read whole. A larger one is streamed. */
const WHOLE_BYTES = 64 * 1024;

interface StreamedBody {
  readonly sizeBytes: number;
  open(): AsyncIterable<Buffer>;
}

/** Reads the exact bytes of the body. A large body comes as a stream; null means that the request had none. */
export async function readBody(ctx: Context, request: CapturedRequest): Promise<Buffer | StreamedBody | null> {
  const { body, sizeBytes } = request;
  if (body === null) return null;
  if (sizeBytes <= WHOLE_BYTES) return readBlob(ctx, request, body);
  return { sizeBytes, open: () => streamBody(ctx, request) };
}

/** Reads the whole body. Returns null if the request had none. */
export async function readWholeBody(ctx: Context, request: CapturedRequest): Promise<Buffer | null> {
  return request.body === null ? null : readBlob(ctx, request, request.body);
}

/** Reads the kept part of the target's answer as text. Returns null if nothing was kept. */
export async function readForwardResponse(ctx: Context, request: CapturedRequest): Promise<string | null> {
  const { forwardResponse } = request;
  return forwardResponse === null ? null : (await readBlob(ctx, request, forwardResponse)).toString('utf8');
}

/** Streams the exact bytes of the body. The stream is empty if the request had no body. */
export async function* streamBody(ctx: Context, request: CapturedRequest): AsyncGenerator<Buffer, void> {
  if (request.body === null) return;
  yield* streamWhile(() => isThere(ctx, request), ctx.store.blobs.stream(request.body));
}

function readBlob(ctx: Context, request: CapturedRequest, ref: BlobRef): Promise<Buffer> {
  return readWhile(
    () => isThere(ctx, request),
    () => ctx.store.blobs.read(ref),
  );
}

async function isThere(ctx: Context, { id }: CapturedRequest): Promise<boolean> {
  return (await ctx.store.read.requests.get(id, momentNow(ctx.clock))) !== null;
}
