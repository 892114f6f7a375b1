import { comparableAddress } from '../domain/address.ts';
import type { SuppressionEntry } from '../domain/outbound.ts';
import type { Reader, Tx } from '../ports/store.ts';
import type { RecordScope } from './records.ts';

// The suppression list of a workspace, which the APIs of all providers share.

/** Lists the entries of the workspace, or those of a reason. */
export async function suppressions(
  { ctx, workspaceId }: RecordScope,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<SuppressionEntry[]> {
  const all = await (await ctx.store.readNow()).suppression.list(workspaceId);
  return reason === null ? [...all] : all.filter((one) => one.reason === reason);
}

/** Returns the entry of an address; null if there is none, or it has another reason. */
export async function suppressionOf(
  { workspaceId }: Pick<RecordScope, 'workspaceId'>,
  reader: Pick<Reader, 'suppression'>,
  address: string | undefined,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<SuppressionEntry | null> {
  const entry = await reader.suppression.byRecipient(workspaceId, comparableAddress(address ?? ''));
  return entry === null || (reason !== null && entry.reason !== reason) ? null : entry;
}

/** Removes the entry of an address. Returns whether there was one. */
export async function liftSuppression(
  scope: Pick<RecordScope, 'workspaceId'>,
  tx: Tx,
  address: string | undefined,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<boolean> {
  const entry = await suppressionOf(scope, tx, address, reason);
  if (entry !== null) await tx.suppression.remove(entry.id);
  return entry !== null;
}
