import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { bearerKey, hashKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import type { ApiCaller } from './route.ts';

/**
 * Returns the key of the request and its workspace. Throws `unauthorized` if the key is missing, malformed, unknown or
 * revoked (docs/contract.md#authentication-and-errors).
 */
export async function authenticateCaller(ctx: Context, { req }: Exchange): Promise<ApiCaller> {
  const plaintext = bearerKey(req.headers.authorization);
  if (plaintext === null) throw refuse('unauthorized');
  const hash = hashKey(plaintext);
  const read = await ctx.store.readNow();
  const key = await read.keys.byHash(hash);
  if (key === null || key.revokedAt !== null) throw refuse('unauthorized');
  // The timing of a look-up by hash can reveal only the hash, not the key. The comparison below takes constant time.
  if (!timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash))) throw refuse('unauthorized');
  const workspace = await read.workspaces.get(key.workspaceId);
  if (workspace === null) throw refuse('unauthorized');
  return { key, workspace };
}
