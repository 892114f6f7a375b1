import type { Context } from '../context.ts';
import { excessOf, largestCapture } from '../domain/capture-quota.ts';
import { refuse } from '../domain/errors.ts';
import type { WebhookId } from '../domain/ids.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';

/** The number of requests that one step removes. More go only if the new request needs their room. */
const BATCH = 500;

/**
 * Removes the oldest captured requests until `bytes` more of an interceptor fit into its quota and into that of the
 * server. Over the quota of the server, the interceptor that holds the most gives way, so that a flood on one URL does
 * not remove what others captured. Returns the number of removed requests. Throws `capture_quota_reached` if the bytes
 * never fit.
 */
export async function makeRoomForCapture(ctx: Context, tx: Tx, webhookId: WebhookId, bytes: number): Promise<number> {
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

/** Removes the oldest requests of an interceptor, tells the feed, and returns their number. */
async function trim(ctx: Context, tx: Tx, webhookId: WebhookId, bytes: number): Promise<number> {
  const trimmed = await tx.requests.trim(webhookId, bytes, BATCH);
  const webhook = await tx.webhooks.get(webhookId);
  if (trimmed === null || webhook === null) return 0;
  const { count, upTo } = trimmed;
  await recordEvent(ctx, tx, 'webhook.trimmed', webhook.workspaceId, { webhookId, count, upTo, reason: 'quota' });
  return count;
}
