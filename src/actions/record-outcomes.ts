import type { Context } from '../context.ts';
import { type DeliveryOutcome, recipientAfterAttempt } from '../domain/delivery.ts';
import { isPending, type Send, stateOf } from '../domain/send.ts';
import { realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { recordSendUpdated } from './record-send-updated.ts';
import { timeIn } from './workspace-time.ts';

/**
 * Writes the outcomes of an attempt into its send, by address, and returns the updated send. Recipients without an
 * outcome stay unchanged.
 */
export async function recordOutcomes(
  ctx: Context,
  tx: Tx,
  send: Send,
  outcomes: ReadonlyMap<string, DeliveryOutcome>,
): Promise<Send> {
  if (outcomes.size === 0) return send;
  const now = await timeIn(ctx, tx, send.workspaceId);
  const recipients = send.recipients.map((recipient) => {
    const outcome = recipient.state === 'queued' ? outcomes.get(recipient.address) : undefined;
    return outcome === undefined ? recipient : recipientAfterAttempt(recipient, outcome, realNow(ctx));
  });
  const done = !isPending({ ...send, recipients });
  const fields = { recipients, state: stateOf(recipients), updatedAt: now, ...(done && { raw: null }) };
  const updated = (await tx.sends.update(send.id, fields)) ?? { ...send, ...fields };
  const changed = recipients.some(({ state }, at) => state !== send.recipients[at]?.state);
  if (changed) await recordSendUpdated(ctx, tx, updated);
  return updated;
}

/** The real time in milliseconds. Attempts go by it, because a relay knows nothing of this server's clock offset. */
export function realNow({ clock }: Context): number {
  return realTime(clock);
}
