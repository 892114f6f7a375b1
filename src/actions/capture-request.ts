import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import { type Headers, SYNC_LEASE_MS, targetOf } from '../domain/forwarding.ts';
import type { CapturedRequestId } from '../domain/ids.ts';
import type { BlobRef } from '../domain/message.ts';
import { configuredResponse } from '../domain/scripted-response.ts';
import type { ScriptedResponse, Webhook } from '../domain/webhook.ts';
import { forwardRequest } from './forward-request.ts';

export interface IncomingRequest {
  readonly method: string;
  /** What follows the capture key, as sent. */
  readonly path: string;
  readonly query: string | null;
  readonly headers: Headers;
  readonly contentType: string | null;
  readonly sourceIp: string | null;
  readonly body: IncomingBody | null;
}

/** Small ones are in hand, others are in the store already: given up where the request is not recorded. */
export type IncomingBody =
  | { readonly bytes: Buffer; readonly sizeBytes: number }
  | { readonly ref: BlobRef; readonly sizeBytes: number };

/**
 * Records a request that came to an interceptor's capture URL; what it is to be answered. Settles when it is durable and visible,
 * with forwarding in `sync` mode when the outcome is. Throws `not_found` where the interceptor went meanwhile.
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
    const headers = await blobs.put(Buffer.from(JSON.stringify(incoming.headers)));
    refs.push(headers);
    captured = await record(ctx, webhook, incoming, { headers, body });
  } catch (error) {
    blobs.discard(refs);
    throw error;
  }
  if (captured.forwardNow) await forwardNow(ctx, captured.id);
  return captured.response;
}

/** The caller gets the configured response whatever comes of it; what is not on record now is made anew by the worker. */
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
}

function record(
  ctx: Context,
  { id: webhookId }: Webhook,
  incoming: IncomingRequest,
  blobs: Pick<CapturedRequest, 'headers' | 'body'>,
): Promise<Captured> {
  return ctx.store.transaction(async (tx) => {
    // As it is now: from its deletion on nothing is recorded.
    const webhook = await tx.webhooks.get(webhookId);
    if (webhook === null) throw refuse('not_found');
    const response = (await tx.webhooks.takeResponse(webhookId)) ?? configuredResponse(webhook);
    const now = ctx.clock.now();
    const id = ctx.ids.next<CapturedRequestId>(now, await tx.events.lastId());
    const isForwarded = targetOf(webhook) !== null;
    const forwardNow = isForwarded && webhook.forwardMode === 'sync';
    await tx.requests.insert({
      id,
      workspaceId: webhook.workspaceId,
      webhookId,
      receivedAt: now,
      method: incoming.method,
      path: incoming.path,
      query: incoming.query,
      contentType: incoming.contentType,
      sizeBytes: incoming.body?.sizeBytes ?? 0,
      sourceIp: incoming.sourceIp,
      // A connection that is dropped has no status.
      responseStatus: 'drop' in response ? 0 : response.status,
      forwardStatus: isForwarded ? 'pending' : 'none',
      forwardAttempts: 0,
      forwardedAt: null,
      forwardHttpStatus: null,
      forwardError: null,
      forwardResponse: null,
      nextForwardAt: isForwarded ? now + (forwardNow ? SYNC_LEASE_MS : 0) : null,
      ...blobs,
    });
    return { id, response, forwardNow };
  });
}
