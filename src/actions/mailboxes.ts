import type { Context } from '../context.ts';
import { ApiError, refuse } from '../domain/errors.ts';
import { type GroupId, type MailboxId, parseUlid } from '../domain/ids.ts';
import { isReserved, type Mailbox, nameAndSubdomain, parseRetention } from '../domain/mailbox.ts';
import { isAllowlistEntry, MAX_ALLOWLIST } from '../domain/outbound.ts';
import { claimKey, MAX_CLAIMED, parseClaim } from '../domain/routing.ts';
import { timeOf } from '../domain/time.ts';
import { parseName, type Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { forgetAnswer, recordEvent } from './record-event.ts';
import { type WaitBounds, waitUntil } from './waits.ts';

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
interface MailboxChanges {
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

/**
 * Deletes a mailbox with its mail. Throws `seeded_mailbox` for the inbox, which takes mail that no other mailbox takes.
 */
export async function deleteMailbox(ctx: Context, tx: Tx, mailbox: Mailbox): Promise<void> {
  if (mailbox.seeded) throw refuse('seeded_mailbox');
  await forgetAnswer(tx, mailbox.id);
  await tx.mailboxes.remove(mailbox.id);
  await recordEvent(ctx, tx, 'mailbox.deleted', mailbox.workspaceId, { mailboxId: mailbox.id });
}

/** The longest time between two looks at a claim that another mailbox has. A release on another server is no news here. */
const LOOK_MS = 1_000;

/**
 * Routes mail to these addresses into the mailbox. They replace the addresses it claimed before
 * (docs/claimed-addresses.md). It waits within `bounds` while another mailbox claims one of them. Callers that
 * wait for the same address get it in the order in which they came. `done` runs in the transaction of the claim. Throws
 * `invalid_addresses` with the index of the first invalid entry, and `address_taken` with the mailbox that claims one of
 * them when the time is over.
 */
export async function claimInTurn<T>(
  ctx: Context,
  { id }: Mailbox,
  given: unknown,
  bounds: WaitBounds,
  done: (tx: Tx, mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const addresses = requireAddresses(given);
  const attempt = () =>
    ctx.store.transaction(async (tx) => {
      // Its test may have ended while it waited.
      const mailbox = await tx.mailboxes.get(id);
      if (mailbox === null) throw refuse('not_found');
      await setAddresses(tx, mailbox, addresses);
      return done(tx, mailbox);
    });
  const turn = ctx.claimTurns.join(addresses.map(claimKey));
  let holder: MailboxId | null = null;
  const changes = (wake: () => void) => turn.onChange(wake);
  const releases = (wake: () => void) =>
    ctx.store.onCommit(({ mailboxIds, all }) => {
      if (all || (holder !== null && mailboxIds.has(holder))) wake();
    });
  try {
    const claimed = await waitUntil(ctx.clock, bounds, [changes, releases], async ({ isLast, again }) => {
      try {
        // At the end of its time a caller learns who claims the address, even if others would be next.
        if (isLast || turn.isFirst()) return { result: await attempt() };
      } catch (error) {
        if (isLast || !(error instanceof ApiError) || error.code !== 'address_taken') throw error;
        const named = parseUlid<MailboxId>(String(error.extra['mailboxId']));
        const isOther = named !== holder;
        holder = named;
        // A release between the attempt and this line is no news yet, so the first one looks again at once.
        if (isOther) {
          again(0);
          return null;
        }
      }
      again(LOOK_MS);
      return null;
    });
    // The last attempt succeeds or throws.
    if (claimed === null) throw new Error('a claim ended without an attempt');
    return claimed.result;
  } finally {
    turn.leave();
  }
}

async function setAddresses(tx: Tx, mailbox: Mailbox, addresses: readonly string[]): Promise<void> {
  try {
    await tx.mailboxes.setAddresses(mailbox.id, addresses);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'address_taken' ? await withHolder(tx, error) : error;
  }
}

function requireAddresses(given: unknown): string[] {
  if (!Array.isArray(given) || given.length > MAX_CLAIMED) throw refuse('invalid_addresses');
  const byKey = new Map<string, string>();
  for (const [index, entry] of given.entries()) {
    const claim = typeof entry === 'string' ? parseClaim(entry) : null;
    if (claim === null) throw refuse('invalid_addresses', { index });
    const key = claimKey(claim);
    if (!byKey.has(key)) byKey.set(key, claim);
  }
  return [...byKey.values()];
}

/**
 * Adds the names of the mailbox and workspace that claim the address to the error. It tells two tests that claim the
 * same address about each other.
 */
async function withHolder(tx: Tx, { code, extra }: ApiError): Promise<ApiError> {
  const id = parseUlid<MailboxId>(String(extra['mailboxId']));
  const holder = id === null ? null : await tx.mailboxes.get(id);
  const workspace = holder === null ? null : await tx.workspaces.get(holder.workspaceId);
  return refuse(code, {
    ...extra,
    mailboxName: holder?.name ?? '',
    workspaceId: workspace?.id ?? '',
    workspaceName: workspace?.name ?? '',
  });
}
