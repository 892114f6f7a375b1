import type { Context } from '../context.ts';
import { heldBytes } from '../domain/capture-quota.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import { forwardTarget, type Headers, SYNC_LEASE_MS } from '../domain/forwarding.ts';
import type { CapturedRequestId } from '../domain/ids.ts';
import type { BlobRef } from '../domain/message.ts';
import { configuredResponse } from '../domain/scripted-response.ts';
import type { ScriptedResponse, Webhook } from '../domain/webhook.ts';
import { realTime } from '../ports/clock.ts';
import { forwardRequest } from './forward-request.ts';
import { makeRoomForCapture } from './trim-captures.ts';
import { timeIn } from './workspace-time.ts';

export interface IncomingRequest {
  readonly method: string;
  /** The part of the path after the capture key, exactly as the client sent it. */
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
 * Records a request to an interceptor's capture URL. Returns the response to send. Settles when the record is durable
 * and visible; with `sync` forwarding it settles when the outcome is recorded. Throws `not_found` if the interceptor
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
    // The row is read again, so that nothing is recorded for an interceptor that was deleted.
    const webhook = await tx.webhooks.get(webhookId);
    if (webhook === null) throw refuse('not_found');
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
