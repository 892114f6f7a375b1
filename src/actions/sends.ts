import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import { distinctAddresses, parseAddressList } from '../domain/address-list.ts';
import { mayLeaveTo } from '../domain/auto-relay.ts';
import { checkSend, type Email, MAX_RECIPIENTS, parseSendRequest, type SendFields } from '../domain/check-send.ts';
import { refuse, there } from '../domain/errors.ts';
import type { IdentityId, SendId, SuppressionId, WorkspaceId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import { type Identity, parseIdentityDomain, type SuppressionEntry } from '../domain/outbound.ts';
import type { MailFile } from '../domain/provider.ts';
import { labelBelow } from '../domain/routing.ts';
import { queuedFor, type Send } from '../domain/send.ts';
import { replyFields, replyHeaders } from '../domain/thread.ts';
import { timeOf } from '../domain/time.ts';
import type { Workspace } from '../domain/workspace.ts';
import { composeMessage } from '../mail/compose.ts';
import { leavingMail } from '../mail/leaving-mail.ts';
import type { RelayOutcome } from '../ports/outbound.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { readParsed, readRaw } from './read-message.ts';
import { type KeptMail, keepMail, newMessage } from './receive-message.ts';
import { recordEvent, recordSendUpdated } from './record-event.ts';
import { during, timeIn } from './time.ts';

/**
 * A composed email whose bytes are in the store. Composing happens before the transaction, so that others do not wait
 * for it.
 */
export interface Draft {
  readonly email: Email;
  readonly kept: KeptMail;
}

/** The fields that the local API adds to an email. The cloud's send does not know them. */
interface DraftExtras {
  readonly attachments?: readonly MailFile[];
  /** The message that the email answers. It says what the email lacks of a sender, recipients and a subject. */
  readonly inReplyTo?: Message | null;
}

/**
 * Composes an email and stores its bytes. The caller must discard a draft that it does not send. Throws `invalid_body`.
 */
export async function draftEmail(
  ctx: Context,
  workspaceId: WorkspaceId,
  fields: SendFields,
  { attachments = [], inReplyTo = null }: DraftExtras = {},
): Promise<Draft> {
  const answered = inReplyTo === null ? null : await readParsed(ctx, inReplyTo);
  const email = parseSendRequest(
    inReplyTo === null || answered === null ? fields : replyFields(fields, answered, inReplyTo),
  );
  const headers = answered === null ? [] : replyHeaders(answered.headers);
  const date = await timeIn(ctx, ctx.store.read, workspaceId);
  const messageId = `<${ctx.ids.next(realTime(ctx.clock))}@${ctx.config.mailDomain}>`;
  const raw = await composeMessage({ ...email, headers, attachments }, { messageId, date });
  const mailFrom = email.from.address;
  return { email, kept: await keepMail(ctx, { source: 'send', mailFrom, rcptTo: email.recipients, raw }) };
}

export function discardDraft({ store }: Context, { kept }: Draft): void {
  store.blobs.discard([kept.raw, kept.facts]);
}

/**
 * Accepts an email for delivery. It charges the wallet, counts the recipients and stores the message in the mailbox,
 * all or nothing. Throws the refusals of {@link checkSend}.
 */
export async function sendEmail(ctx: Context, tx: Tx, mailbox: Mailbox, { email, kept }: Draft): Promise<Send> {
  const workspace = there(await tx.workspaces.get(mailbox.workspaceId));
  const moment = momentNow(ctx.clock);
  const now = timeOf(workspace, moment);
  const { walletMillicents } = checkSend(await factsOf(ctx, tx, workspace, mailbox, { email, kept }, now), email);
  await tx.workspaces.update({ ...workspace, walletMillicents });
  await tx.workspaces.countOutbound(workspace.id, now, email.recipients.length);
  const message = await newMessage(ctx, tx, mailbox, kept, moment);
  await tx.messages.insertOwn(message);
  const send: Send = {
    id: ctx.ids.next<SendId>(moment.realNow, message.id),
    workspaceId: workspace.id,
    mailboxId: mailbox.id,
    messageId: message.id,
    from: email.from.address,
    recipients: email.recipients.map(queuedFor),
    state: 'queued',
    raw: kept.raw,
    createdAt: now,
    updatedAt: now,
  };
  await tx.sends.insert(send);
  await recordSendUpdated(ctx, tx, send);
  return send;
}

async function factsOf(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  mailbox: Mailbox,
  { email, kept }: Draft,
  now: number,
) {
  const suppressed = new Set<string>();
  for (const recipient of email.recipients.map(comparableAddress)) {
    if ((await tx.suppression.byRecipient(workspace.id, recipient)) !== null) suppressed.add(recipient);
  }
  const label = labelBelow(email.from.domain, ctx.config.mailDomain);
  const owner = label === null ? null : await tx.mailboxes.bySubdomain(label);
  return {
    plan: ctx.plans[workspace.plan],
    workspace,
    mailbox,
    mailDomain: ctx.config.mailDomain,
    allowedForAll: ctx.config.allowedForAll,
    identities: [...ctx.config.identities, ...(await tx.identities.list(workspace.id)).map(({ domain }) => domain)],
    fromOwner: owner?.workspaceId ?? null,
    suppressed,
    outboundUsed: await tx.workspaces.outboundUsed(workspace.id, now),
    storedBytes: await tx.workspaces.storedBytes(workspace.id),
    sizeBytes: kept.scanned.sizeBytes,
  };
}

export interface ReleaseResult {
  /** The name of the relay in reports. */
  readonly relay: string;
  readonly from: string;
  readonly outcomes: ReadonlyMap<string, RelayOutcome>;
}

/**
 * Hands a captured message to the relay, unchanged but without Bcc, in one attempt for these recipients. Nothing about
 * it is stored. The rules of the configuration may replace its sender. Throws `no_relay`, and `invalid_to` unless `to` is
 * an address list of 1 to 100 recipients that the rules allow.
 */
export async function releaseMessage(
  ctx: Context,
  message: Message,
  to: unknown,
  cancelSignal: CancelSignal,
): Promise<ReleaseResult> {
  const recipients = requireRecipients(to);
  const { relay } = ctx;
  if (relay === null) throw refuse('no_relay');
  const { release } = ctx.config;
  const kept = recipients.filter((address) => !mayLeaveTo(release, address));
  if (kept.length > 0)
    throw refuse('invalid_to', { message: `The configuration lets no mail leave to ${kept.join(', ')}` });
  const from = release.from ?? release.sender ?? message.mailFrom;
  const raw = () => leavingMail(readRaw(ctx, message), { from: release.from });
  const leaving = { from, recipients, raw, handOver: async () => {} };
  const outcomes = await during(cancelSignal, (signal) => relay.send(leaving, signal));
  return { relay: relay.name, from, outcomes };
}

function requireRecipients(to: unknown): string[] {
  const list = typeof to === 'string' ? parseAddressList(to) : null;
  if (list === null || list.length === 0) throw refuse('invalid_to');
  const recipients = distinctAddresses(list);
  if (recipients.length > MAX_RECIPIENTS) throw refuse('invalid_to');
  return recipients;
}

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

/**
 * Puts an address on the suppression list. Returns the new entry, or the existing one if the address is already listed.
 */
export async function addSuppression(
  ctx: Context,
  tx: Tx,
  workspaceId: WorkspaceId,
  given: { readonly recipient: string; readonly reason: SuppressionEntry['reason'] },
): Promise<SuppressionEntry> {
  const addedAt = await timeIn(ctx, tx, workspaceId);
  const recipient = comparableAddress(given.recipient);
  const id = ctx.ids.next<SuppressionId>(realTime(ctx.clock));
  const entry: SuppressionEntry = { id, workspaceId, recipient, reason: given.reason, addedAt };
  if (await tx.suppression.insert(entry)) {
    const { reason } = entry;
    await recordEvent(ctx, tx, 'suppression.added', workspaceId, { id, recipient, reason });
    return entry;
  }
  const existing = await tx.suppression.byRecipient(workspaceId, recipient);
  if (existing === null) throw new Error('the suppression list refused an entry that it does not have');
  return existing;
}
