import type { Context } from '../context.ts';
import { isAllowlistEntry, MAX_ALLOWLIST } from '../domain/allowlist.ts';
import { refuse } from '../domain/errors.ts';
import { type Mailbox, parseRetention } from '../domain/mailbox.ts';
import { parseName } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/** The changes to a mailbox. Null counts as omitted. Each field is `unknown` because the rules check its type. */
export interface MailboxChanges {
  readonly name?: unknown;
  readonly retentionDays?: unknown;
  readonly outboundEnabled?: unknown;
  readonly allowlist?: unknown;
}

/** Changes the settings of a mailbox that the dashboard offers. */
export async function updateMailbox(ctx: Context, tx: Tx, mailbox: Mailbox, changes: MailboxChanges): Promise<Mailbox> {
  const workspace = await tx.workspaces.get(mailbox.workspaceId);
  if (workspace === null) throw refuse('not_found');
  const plan = ctx.plans[workspace.plan];
  const updated: Mailbox = {
    ...mailbox,
    name: given(changes.name) ? requireName(changes.name) : mailbox.name,
    retentionDays: given(changes.retentionDays) ? parseRetention(changes.retentionDays, plan) : mailbox.retentionDays,
    outboundEnabled: given(changes.outboundEnabled) ? requireFlag(changes.outboundEnabled) : mailbox.outboundEnabled,
    allowlist: given(changes.allowlist) ? requireAllowlist(changes.allowlist) : mailbox.allowlist,
  };
  await tx.mailboxes.update(updated);
  return updated;
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function requireName(value: unknown): string {
  const name = parseName(value);
  if (name === null) throw refuse('invalid_name');
  return name;
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
