import type { Context } from '../context.ts';
import { type ApiKey, hashKey, parseScopes, writeKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import type { KeyId } from '../domain/ids.ts';
import { parseName, type Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

export interface NewKey {
  readonly name?: unknown;
  readonly scopes?: unknown;
}

/** A key, and its plaintext this once (API document 5). */
export async function issueKey(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: NewKey,
): Promise<{ key: ApiKey; plaintext: string }> {
  const name = parseName(request.name ?? 'API key');
  if (name === null) throw refuse('invalid_name');
  const scopes = parseScopes(request.scopes ?? {});
  if (scopes === null) throw refuse('invalid_scopes');
  const now = ctx.clock.now();
  const plaintext = writeKey(ctx.random.bytes(32));
  const key: ApiKey = {
    id: ctx.ids.next<KeyId>(now),
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
