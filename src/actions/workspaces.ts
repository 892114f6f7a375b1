import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { type ApiKey, hashKey, parseScopes, type Scopes, writeKey } from '../domain/api-key.ts';
import { type Authenticator, type NewAuthenticator, parseNewAuthenticator } from '../domain/authenticator.ts';
import { refuse } from '../domain/errors.ts';
import type { AuthenticatorId, GroupId, KeyId, WorkspaceId } from '../domain/ids.ts';
import type { MailboxGroup } from '../domain/mailbox.ts';
import { timeOf } from '../domain/time.ts';
import { parseWorkspaceChanges, requireName, type Workspace, type WorkspaceChanges } from '../domain/workspace.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { forgetAnswer, recordEvent } from './record-event.ts';
import { timeIn } from './time.ts';

/** Creates a workspace without mailboxes and keys. Fields that are not given take the server's defaults. */
export async function createWorkspace(ctx: Context, tx: Tx, request: WorkspaceChanges): Promise<Workspace> {
  const given = parseWorkspaceChanges(request);
  const now = ctx.clock.now();
  const plan = given.plan ?? ctx.config.plan;
  const workspace: Workspace = {
    id: ctx.ids.next<WorkspaceId>(realTime(ctx.clock)),
    name: given.name ?? 'Workspace',
    plan,
    limits: given.limits ?? ctx.config.limits,
    walletMillicents: given.walletMillicents ?? ctx.plans[plan].walletStartCents * 1_000,
    seeded: false,
    createdAt: now,
  };
  await tx.workspaces.insert(workspace);
  return workspace;
}

/** Changes plan, wallet, limits and name. Existing objects that exceed the new plan stay. */
export async function updateWorkspace(tx: Tx, workspace: Workspace, changes: WorkspaceChanges): Promise<Workspace> {
  const updated: Workspace = { ...workspace, ...parseWorkspaceChanges(changes) };
  await tx.workspaces.update(updated);
  return updated;
}

/** Deletes a workspace with everything in it. Throws `seeded_workspace` for the seeded one, which owns the inbox. */
export async function deleteWorkspace(ctx: Context, tx: Tx, workspace: Workspace): Promise<void> {
  if (workspace.seeded) throw refuse('seeded_workspace');
  const mailboxes = await tx.mailboxes.list(workspace.id);
  const webhooks = await tx.webhooks.list(workspace.id);
  for (const { id } of [...mailboxes, ...webhooks]) await forgetAnswer(tx, id);
  await tx.workspaces.remove(workspace.id);
  for (const { id: mailboxId, subdomain, name } of mailboxes)
    await recordEvent(ctx, tx, 'mailbox.deleted', workspace.id, { mailboxId, subdomain, name });
  for (const { id: webhookId, name } of webhooks)
    await recordEvent(ctx, tx, 'webhook.deleted', workspace.id, { webhookId, name });
}

/** Creates a group for mailboxes of the workspace. Throws `invalid_name`. */
export async function createGroup(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: { readonly name?: unknown },
): Promise<MailboxGroup> {
  const name = requireName(request.name);
  const now = timeOf(workspace, momentNow(ctx.clock));
  const group: MailboxGroup = {
    id: ctx.ids.next<GroupId>(realTime(ctx.clock)),
    workspaceId: workspace.id,
    name,
    createdAt: now,
  };
  await tx.groups.insert(group);
  return group;
}

interface NewKey {
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
  const name = requireName(request.name ?? 'API key');
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

/** Finds the key with this plaintext. Returns null if there is none, or if it is revoked. */
export async function findKey({ keys }: Reader, plaintext: string): Promise<ApiKey | null> {
  const hash = hashKey(plaintext);
  const key = await keys.byHash(hash);
  if (key === null || key.revokedAt !== null) return null;
  // The timing of a look-up by hash can reveal only the hash, not the key. This comparison takes constant time.
  return timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash)) ? key : null;
}

/** Revokes a key. The next request with it is rejected. A second call changes nothing. */
export async function revokeKey(ctx: Context, tx: Tx, key: ApiKey): Promise<void> {
  if (key.revokedAt === null) await tx.keys.update({ ...key, revokedAt: await timeIn(ctx, tx, key.workspaceId) });
}

/** Creates an authenticator. The workspace's keys can read its codes. */
export async function createAuthenticator(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: NewAuthenticator,
): Promise<Authenticator> {
  const given = parseNewAuthenticator(request);
  const now = timeOf(workspace, momentNow(ctx.clock));
  const id = ctx.ids.next<AuthenticatorId>(realTime(ctx.clock));
  const authenticator: Authenticator = { id, workspaceId: workspace.id, ...given, createdAt: now };
  await tx.authenticators.insert(authenticator);
  return authenticator;
}
