import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { type GroupId, type MailboxId, parseUlid } from '../domain/ids.ts';
import { isReserved, type Mailbox, nameAndSubdomain, parseRetention } from '../domain/mailbox.ts';
import { timeOf } from '../domain/moment.ts';
import type { Workspace } from '../domain/workspace.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';

export interface NewMailbox {
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
