import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import { checkSend } from '../domain/check-send.ts';
import { refuse } from '../domain/errors.ts';
import type { SendId, WorkspaceId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { timeOf } from '../domain/moment.ts';
import { labelBelow } from '../domain/routing.ts';
import type { Send, SendRecipient } from '../domain/send.ts';
import { type Email, parseSendRequest, type SendFields } from '../domain/send-request.ts';
import type { Workspace } from '../domain/workspace.ts';
import { composeMessage } from '../mail/compose.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { keepMail } from './keep-mail.ts';
import { type KeptMail, newMessage } from './new-message.ts';
import { recordSendUpdated } from './record-send-updated.ts';
import { timeIn } from './workspace-time.ts';

/**
 * A composed email whose bytes are in the store. Composing happens before the transaction, so that others do not wait
 * for it.
 */
export interface Draft {
  readonly email: Email;
  readonly kept: KeptMail;
}

/**
 * Composes an email and stores its bytes. The caller must discard a draft that it does not send. Throws `invalid_body`.
 */
export async function draftEmail(ctx: Context, workspaceId: WorkspaceId, fields: SendFields): Promise<Draft> {
  const email = parseSendRequest(fields);
  const date = await timeIn(ctx, ctx.store.read, workspaceId);
  const messageId = `<${ctx.ids.next(realTime(ctx.clock))}@${ctx.config.mailDomain}>`;
  const raw = await composeMessage(email, { messageId, date });
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
  const workspace = await tx.workspaces.get(mailbox.workspaceId);
  if (workspace === null) throw refuse('not_found');
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
    recipients: email.recipients.map(inLine),
    state: 'queued',
    raw: kept.raw,
    createdAt: now,
    updatedAt: now,
  };
  await tx.sends.insert(send);
  await recordSendUpdated(ctx, tx, send);
  return send;
}

function inLine(address: string): SendRecipient {
  return { address, state: 'queued', attempts: 0, nextAttemptAt: null, handedOver: false, reply: null };
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
    identities: [...ctx.config.identities, ...(await tx.identities.list(workspace.id)).map(({ domain }) => domain)],
    fromOwner: owner?.workspaceId ?? null,
    suppressed,
    outboundUsed: await tx.workspaces.outboundUsed(workspace.id, now),
    storedBytes: await tx.workspaces.storedBytes(workspace.id),
    sizeBytes: kept.scanned.sizeBytes,
  };
}
