import type { Context } from '../context.ts';
import { ALL_SCOPES, type ApiKey, hashKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import type { KeyId, MailboxId, WorkspaceId } from '../domain/ids.ts';
import { INBOX_SUBDOMAIN, type Mailbox } from '../domain/mailbox.ts';
import { timeOf } from '../domain/time.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { replaceFaults } from './faults.ts';
import { recordEvent } from './record-event.ts';

export interface SeedResult {
  readonly workspaceId: WorkspaceId;
  readonly mailboxId: MailboxId;
}

/**
 * Creates the seeded workspace, its inbox mailbox and its development key, unless they exist (docs/contract.md#words).
 */
export function seed(ctx: Context, apiKey: string): Promise<SeedResult> {
  return ctx.store.transaction(async (tx) => {
    const workspace = await seedWorkspace(ctx, tx);
    const mailbox = (await tx.mailboxes.inbox()) ?? (await seedInbox(ctx, tx, workspace));
    await seedKey(ctx, tx, workspace, apiKey);
    return { workspaceId: workspace.id, mailboxId: mailbox.id };
  });
}

/** Builds the seeded workspace with this id. */
function seededWorkspace(ctx: Context, id: WorkspaceId, createdAt: number): Workspace {
  return {
    id,
    name: 'mailcap',
    plan: ctx.config.plan,
    limits: ctx.config.limits,
    walletMillicents: ctx.plans[ctx.config.plan].walletStartCents * 1000,
    seeded: true,
    createdAt,
  };
}

/** Builds the inbox mailbox with this id. */
function seededInbox(ctx: Context, workspace: Workspace, id: MailboxId, createdAt: number): Mailbox {
  const plan = ctx.plans[workspace.plan];
  return {
    id,
    workspaceId: workspace.id,
    groupId: null,
    name: 'Inbox',
    subdomain: INBOX_SUBDOMAIN,
    retentionDays: plan.retentionDefaultDays,
    outboundEnabled: plan.outbound && ctx.config.outboundEnabled,
    allowlist: ctx.config.allowlist,
    seeded: true,
    createdAt,
  };
}

/** Builds the development key. It does not count against the plan's limit. */
function seededKey(workspace: Workspace, apiKey: string, id: KeyId, createdAt: number): ApiKey {
  return {
    id,
    workspaceId: workspace.id,
    name: 'development',
    hash: hashKey(apiKey),
    scopes: ALL_SCOPES,
    seeded: true,
    createdAt,
    revokedAt: null,
  };
}

async function seedWorkspace(ctx: Context, tx: Tx): Promise<Workspace> {
  const existing = (await tx.workspaces.list()).find((workspace) => workspace.seeded);
  if (existing === undefined) {
    const now = ctx.clock.now();
    const workspace = seededWorkspace(ctx, ctx.ids.next<WorkspaceId>(realTime(ctx.clock)), now);
    await tx.workspaces.insert(workspace);
    return workspace;
  }
  // A plan that was set through the local API survives a restart whose configuration names none.
  const plan = ctx.config.given.has('plan') ? ctx.config.plan : existing.plan;
  const limits = ctx.config.given.has('limits') ? ctx.config.limits : existing.limits;
  if (plan === existing.plan && limits === existing.limits) return existing;
  const workspace = { ...existing, plan, limits };
  await tx.workspaces.update(workspace);
  return workspace;
}

async function seedInbox(ctx: Context, tx: Tx, workspace: Workspace): Promise<Mailbox> {
  const now = timeOf(workspace, momentNow(ctx.clock));
  const mailbox = seededInbox(ctx, workspace, ctx.ids.next<MailboxId>(realTime(ctx.clock)), now);
  await tx.mailboxes.insert(mailbox, Number.POSITIVE_INFINITY);
  return mailbox;
}

/** Keeps exactly one seeded key active: the one the server was started with. It revokes the others. */
async function seedKey(ctx: Context, tx: Tx, workspace: Workspace, apiKey: string): Promise<void> {
  const hash = hashKey(apiKey);
  const now = timeOf(workspace, momentNow(ctx.clock));
  for (const key of await tx.keys.list(workspace.id)) {
    if (key.seeded && key.hash !== hash && key.revokedAt === null) {
      await tx.keys.update({ ...key, revokedAt: now });
    }
  }
  const existing = await tx.keys.byHash(hash);
  if (existing === null) {
    await tx.keys.insert(
      seededKey(workspace, apiKey, ctx.ids.next<KeyId>(realTime(ctx.clock)), now),
      Number.POSITIVE_INFINITY,
    );
  } else if (existing.revokedAt !== null) {
    await tx.keys.update({ ...existing, revokedAt: null });
  }
}

/**
 * Returns the server to its seeded state. The seeded workspace, mailbox and key keep their ids and everything else is
 * deleted. It also clears the clock offset, the rate limits, the fault rules and the SMTP journal.
 */
export async function reset(ctx: Context): Promise<void> {
  const { ready } = ctx.runtime;
  if (ready === null) throw refuse('starting');
  await ctx.store.transaction(async (tx) => {
    const inbox = await tx.mailboxes.inbox();
    const seeded = (await tx.workspaces.list()).find((workspace) => workspace.seeded);
    const key = await tx.keys.byHash(hashKey(ready.apiKey));
    if (inbox === null || seeded === undefined || key === null) throw new Error('the store was never seeded');
    // Replaces the workspaces instead of emptying them, so that nothing they own can be missed.
    for (const { id } of await tx.workspaces.list()) await tx.workspaces.remove(id);
    for (const { id } of await tx.runs.list()) await tx.runs.remove(id);
    const workspace = seededWorkspace(ctx, seeded.id, seeded.createdAt);
    await tx.workspaces.insert(workspace);
    await tx.mailboxes.insert(seededInbox(ctx, workspace, inbox.id, inbox.createdAt), Number.POSITIVE_INFINITY);
    await tx.keys.insert(seededKey(workspace, ready.apiKey, key.id, key.createdAt), Number.POSITIVE_INFINITY);
    await tx.idempotency.removeExpired(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    await tx.settings.setClockOffsetMs(0);
    await tx.events.trim(0, Number.POSITIVE_INFINITY);
    await recordEvent(ctx, tx, 'reset', null, {});
  });
  ctx.clock.setOffsetMs(0);
  await ctx.limiter.reset();
  await replaceFaults(ctx, ctx.config.faults);
  await ctx.journal.clear();
}
