import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import { forwardTarget } from '../domain/forwarding.ts';
import { attempt, recordOutcome } from './forward-request.ts';

/**
 * Forwards a captured request again in one attempt and records the outcome. Throws `invalid_forward` and `not_found`.
 */
export async function replayRequest(ctx: Context, request: CapturedRequest): Promise<void> {
  const webhook = await ctx.store.read.webhooks.get(request.webhookId);
  if (webhook === null) throw refuse('not_found');
  const forwardUrl = forwardTarget(webhook);
  if (forwardUrl === null) throw refuse('invalid_forward');
  const outcome = await attempt(ctx, request, forwardUrl);
  const recorded = await recordOutcome(ctx, request.id, outcome, { retries: false, applies: () => true });
  if (recorded === null) throw refuse('not_found');
}
