import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { refuse, there } from '../domain/errors.ts';
import { type GroupId, type MailboxId, parseUlid } from '../domain/ids.ts';
import { isReserved, type Mailbox, nameAndSubdomain, parseRetention } from '../domain/mailbox.ts';
import { isAllowlistEntry, MAX_ALLOWLIST } from '../domain/outbound.ts';
import { timeOf } from '../domain/time.ts';
import { orWas, requireName, type Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { forgetAnswer, recordEvent } from './record-event.ts';

interface NewMailbox {
  readonly name?: string | null | undefined;
  readonly subdomain?: string | null | undefined;
  readonly groupId?: string | null | undefined;
  readonly retentionDays?: number | null | undefined;
}

/**
 * Creates a mailbox. It takes mail once the transaction is committed (docs/api.md#mailboxes). The checks run in
 * the order in which docs/api.md lists their errors.
 */
export async function createMailbox(ctx: Context, tx: Tx, workspace: Workspace, request: NewMailbox): Promise<Mailbox> {
  const plan = ctx.plans[workspace.plan];
  const { name, subdomain } = nameAndSubdomain(request.name, request.subdomain);
  const groupId = await groupOf(tx, workspace, request.groupId ?? null);
  const retentionDays = parseRetention(request.retentionDays, plan);
  if (isReserved(subdomain)) throw refuse('subdomain_reserved');
  const now = timeOf(workspace, momentNow(ctx.clock));
  const mailbox: Mailbox = {
    id: ctx.ids.next<MailboxId>(realTime(ctx.clock)),
    workspaceId: workspace.id,
    groupId,
    name,
    subdomain,
    retentionDays,
    outboundEnabled: plan.outbound && ctx.config.outboundEnabled,
    allowlist: ctx.config.allowlist,
    seeded: false,
    createdAt: now,
  };
  await tx.mailboxes.insert(mailbox, plan.mailboxes);
  await recordEvent(ctx, tx, 'mailbox.created', workspace.id, { mailboxId: mailbox.id, subdomain, name });
  return mailbox;
}

async function groupOf(tx: Tx, workspace: Workspace, text: string | null): Promise<GroupId | null> {
  if (text === null) return null;
  const id = parseUlid<GroupId>(text);
  if (id === null) throw refuse('invalid_group_id');
  const group = await tx.groups.get(id);
  if (group?.workspaceId !== workspace.id) throw refuse('group_not_found');
  return id;
}

/** The changes to a mailbox. Null counts as omitted. Each field is `unknown` because the rules check its type. */
type MailboxChanges = { readonly [Name in 'name' | 'retentionDays' | 'outboundEnabled' | 'allowlist']?: unknown };

/** Changes the settings of a mailbox that the dashboard offers. What changes nothing tells nobody. */
export async function updateMailbox(ctx: Context, tx: Tx, mailbox: Mailbox, changes: MailboxChanges): Promise<Mailbox> {
  const plan = ctx.plans[there(await tx.workspaces.get(mailbox.workspaceId)).plan];
  const updated: Mailbox = {
    ...mailbox,
    name: orWas(changes.name, requireName, mailbox.name),
    retentionDays: orWas(changes.retentionDays, (value) => parseRetention(value, plan), mailbox.retentionDays),
    outboundEnabled: orWas(changes.outboundEnabled, requireFlag, mailbox.outboundEnabled),
    allowlist: orWas(changes.allowlist, requireAllowlist, mailbox.allowlist),
  };
  if (isDeepStrictEqual(updated, mailbox)) return mailbox;
  await tx.mailboxes.update(updated);
  await recordUpdate(ctx, tx, updated);
  return updated;
}

/** Tells that the settings of a mailbox changed. */
export async function recordUpdate(
  ctx: Context,
  tx: Tx,
  { id: mailboxId, workspaceId, subdomain, name }: Mailbox,
): Promise<void> {
  await recordEvent(ctx, tx, 'mailbox.updated', workspaceId, { mailboxId, subdomain, name });
}

function requireFlag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw refuse('invalid_outbound_enabled');
  return value;
}

function requireAllowlist(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_ALLOWLIST) throw refuse('invalid_allowlist');
  return value.map((entry: unknown) => {
    const trimmed = typeof entry === 'string' ? entry.trim() : '';
    if (!isAllowlistEntry(trimmed)) throw refuse('invalid_allowlist');
    return trimmed;
  });
}

/**
 * Deletes a mailbox with its mail. Throws `seeded_mailbox` for the inbox, which takes mail that no other mailbox takes.
 */
export async function deleteMailbox(ctx: Context, tx: Tx, mailbox: Mailbox): Promise<void> {
  if (mailbox.seeded) throw refuse('seeded_mailbox');
  await forgetAnswer(tx, mailbox.id);
  await tx.mailboxes.remove(mailbox.id);
  const { id: mailboxId, workspaceId, subdomain, name } = mailbox;
  await recordEvent(ctx, tx, 'mailbox.deleted', workspaceId, { mailboxId, subdomain, name });
}
