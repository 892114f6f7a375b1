import type { Context } from '../context.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Tx } from '../ports/store.ts';

/** From the next request on the key is unknown; revoking it again changes nothing. */
export async function revokeKey(ctx: Context, tx: Tx, key: ApiKey): Promise<void> {
  if (key.revokedAt === null) await tx.keys.update({ ...key, revokedAt: ctx.clock.now() });
}
