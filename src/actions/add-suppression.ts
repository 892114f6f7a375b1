import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import type { SuppressionId, WorkspaceId } from '../domain/ids.ts';
import type { SuppressionEntry } from '../domain/suppression.ts';
import { realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';
import { timeIn } from './workspace-time.ts';

/**
 * Puts an address on the suppression list. Returns the new entry, or the existing one if the address is already listed.
 */
export async function addSuppression(
  ctx: Context,
  tx: Tx,
  workspaceId: WorkspaceId,
  given: { readonly recipient: string; readonly reason: SuppressionEntry['reason'] },
): Promise<SuppressionEntry> {
  const addedAt = await timeIn(ctx, tx, workspaceId);
  const recipient = comparableAddress(given.recipient);
  const id = ctx.ids.next<SuppressionId>(realTime(ctx.clock));
  const entry: SuppressionEntry = { id, workspaceId, recipient, reason: given.reason, addedAt };
  if (await tx.suppression.insert(entry)) {
    const { reason } = entry;
    await recordEvent(ctx, tx, 'suppression.added', workspaceId, { id, recipient, reason });
    return entry;
  }
  const existing = await tx.suppression.byRecipient(workspaceId, recipient);
  if (existing === null) throw new Error('an entry is on the list and is not');
  return existing;
}
