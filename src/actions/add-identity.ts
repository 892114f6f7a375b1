import type { Context } from '../context.ts';
import { type Identity, parseIdentityDomain } from '../domain/identity.ts';
import type { IdentityId, WorkspaceId } from '../domain/ids.ts';
import { realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { timeIn } from './workspace-time.ts';

/**
 * Adds a domain that the workspace may send from. Returns the existing identity if the domain was added before. Throws
 * `invalid_domain`.
 */
export async function addIdentity(
  ctx: Context,
  tx: Tx,
  workspaceId: WorkspaceId,
  request: { readonly domain?: unknown },
): Promise<Identity> {
  const domain = parseIdentityDomain(request.domain);
  const existing = (await tx.identities.list(workspaceId)).find((identity) => identity.domain === domain);
  if (existing !== undefined) return existing;
  const createdAt = await timeIn(ctx, tx, workspaceId);
  const identity: Identity = { id: ctx.ids.next<IdentityId>(realTime(ctx.clock)), workspaceId, domain, createdAt };
  await tx.identities.insert(identity);
  return identity;
}
