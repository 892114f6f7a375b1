import type { Context } from '../context.ts';
import { type ApiKey, hashKey, parseScopes, type Scopes, writeKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import type { KeyId } from '../domain/ids.ts';
import { timeOf } from '../domain/moment.ts';
import { parseName, type Workspace } from '../domain/workspace.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';

export interface NewKey {
  readonly name?: unknown;
  readonly scopes?: unknown;
}

/**
 * Issues an API key. Only this call returns its plaintext (docs/api.md#authentication). Throws `invalid_name`,
 * `invalid_scope` and `plan_max_keys_reached`.
 */
export async function issueKey(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: NewKey,
): Promise<{ key: ApiKey; plaintext: string }> {
  const name = parseName(request.name ?? 'API key');
  if (name === null) throw refuse('invalid_name');
  const scopes = parseScopes(request.scopes ?? {});
  if (scopes === null) throw refuse('invalid_scope');
  await checkScopes(tx, workspace, scopes);
  const now = timeOf(workspace, momentNow(ctx.clock));
  const plaintext = writeKey(ctx.random.bytes(32));
  const key: ApiKey = {
    id: ctx.ids.next<KeyId>(realTime(ctx.clock)),
    workspaceId: workspace.id,
    name,
    hash: hashKey(plaintext),
    scopes,
    seeded: false,
    createdAt: now,
    revokedAt: null,
  };
  await tx.keys.insert(key, ctx.plans[workspace.plan].activeKeys);
  return { key, plaintext };
}

/**
 * Rejects scopes that name mailboxes or authenticators of another workspace. Scopes never change later, so such a key
 * would be useless.
 */
async function checkScopes(tx: Tx, { id }: Workspace, { mailboxes, authenticators }: Scopes): Promise<void> {
  const areHere = await Promise.all([
    ...(mailboxes === 'all' ? [] : mailboxes.map(async (one) => (await tx.mailboxes.get(one))?.workspaceId === id)),
    ...(authenticators === 'all'
      ? []
      : authenticators.map(async (one) => (await tx.authenticators.get(one))?.workspaceId === id)),
  ]);
  if (areHere.includes(false)) throw refuse('invalid_scope');
}
