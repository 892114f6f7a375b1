import type { Context } from '../context.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Tx } from '../ports/store.ts';
import { timeIn } from './workspace-time.ts';

/** Revokes a key. The next request with it is rejected. A second call changes nothing. */
export async function revokeKey(ctx: Context, tx: Tx, key: ApiKey): Promise<void> {
  if (key.revokedAt === null) await tx.keys.update({ ...key, revokedAt: await timeIn(ctx, tx, key.workspaceId) });
}
