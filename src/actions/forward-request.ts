import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { ApiError } from '../domain/errors.ts';
import {
  type ForwardOutcome,
  forwardAfterAttempt,
  forwardedHeaders,
  forwardTarget,
  isForwardDue,
} from '../domain/forwarding.ts';
import type { CapturedRequestId } from '../domain/ids.ts';
import { momentNow } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { targetFor } from '../webhooks/target.ts';
import { readBody, readHeaders } from './read-request.ts';
import { recordEvent } from './record-event.ts';
import { makeRoomForCapture } from './trim-captures.ts';
import { timeIn } from './workspace-time.ts';

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
    if (headers === null) return { kind: 'refused', error: 'capture URLs forward to each other in a circle' };
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
export async function recordOutcome(
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
