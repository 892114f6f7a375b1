import type { Context } from '../context.ts';
import type { BlobRef } from '../domain/message.ts';
import {
  type DeliveryOutcome,
  isPending,
  recipientAfterAttempt,
  type Send,
  type SendRecipient,
  stateOf,
} from '../domain/send.ts';
import {
  type FailedRecipient,
  type ReportFacts,
  readOriginalHeader,
  writeDeliveryReport,
  writeFeedbackReport,
} from '../mail/reports.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { type KeptMail, keepMail, newMessage } from './receive-message.ts';
import { recordSendUpdated } from './record-event.ts';
import { addSuppression } from './sends.ts';
import { timeIn } from './time.ts';

type Outcomes = ReadonlyMap<string, DeliveryOutcome>;

/**
 * Records the outcomes of a delivery attempt. The same transaction stores what follows from them: a delivery report
 * (RFC 3464) for recipients that bounced or failed, a feedback report (RFC 5965) for each complaint, and entries on the
 * suppression list. Returns the updated send, or null if it was deleted.
 */
export async function concludeAttempt(ctx: Context, send: Send, outcomes: Outcomes): Promise<Send | null> {
  if (outcomes.size === 0) return ctx.store.read.sends.get(send.id);
  // A mail that leaves by itself has no sender here, so nobody gets a report.
  const isOwn = send.onward === undefined;
  const reports = isOwn ? await writeReports(ctx, send, outcomes) : [];
  let used = false;
  try {
    const concluded = await ctx.store.transaction(async (tx) => {
      const current = await tx.sends.get(send.id);
      if (current === null) return { updated: null, told: false };
      const updated = await recordOutcomes(ctx, tx, current, outcomes);
      for (const { address, state } of updated.recipients.filter(({ address }) => outcomes.has(address))) {
        const reason = state === 'bounced' ? 'bounce' : state === 'complained' ? 'complaint' : null;
        if (reason !== null && isOwn) await addSuppression(ctx, tx, send.workspaceId, { recipient: address, reason });
      }
      return { updated, told: await putNotifications(ctx, tx, send, reports) };
    });
    used = concluded.told;
    return concluded.updated;
  } finally {
    if (!used) ctx.store.blobs.discard(reports.flatMap(({ raw, facts }): BlobRef[] => [raw, facts]));
  }
}

async function putNotifications(ctx: Context, tx: Tx, send: Send, reports: readonly KeptMail[]): Promise<boolean> {
  const mailbox = await tx.mailboxes.get(send.mailboxId);
  if (mailbox === null) return false;
  for (const report of reports) {
    await tx.messages.insertOwn(await newMessage(ctx, tx, mailbox, report, momentNow(ctx.clock)));
  }
  return true;
}

async function writeReports(ctx: Context, send: Send, outcomes: Outcomes): Promise<KeptMail[]> {
  const at = realTime(ctx.clock);
  const reached = send.recipients.flatMap((recipient): Reached[] => {
    const outcome = outcomes.get(recipient.address);
    return outcome === undefined ? [] : [{ outcome, recipient: recipientAfterAttempt(recipient, outcome, at) }];
  });
  const failed = reached.filter(({ recipient: { state } }) => state === 'bounced' || state === 'failed').map(toFailed);
  const complained = reached.filter(({ recipient: { state } }) => state === 'complained');
  if (failed.length + complained.length === 0) return [];
  const notice = await noticeOf(ctx, send);
  const mails = [
    ...(failed.length === 0 ? [] : [await writeDeliveryReport(notice(), failed)]),
    ...(await Promise.all(
      complained.map(({ recipient: { address } }) =>
        writeFeedbackReport(notice(), { recipient: address, sender: send.from, version: ctx.runtime.version }),
      ),
    )),
  ];
  return Promise.all(
    mails.map((raw) => keepMail(ctx, { source: 'notification', mailFrom: '', rcptTo: [send.from], raw })),
  );
}

interface Reached {
  readonly recipient: SendRecipient;
  readonly outcome: DeliveryOutcome;
}

function toFailed({ recipient: { address, state }, outcome: { reply, remote } }: Reached): FailedRecipient {
  return { address, reply, permanent: state === 'bounced', remote: remote ?? null };
}

/**
 * Collects the facts that all reports of a send share. Each call of the result gives a notice with its own Message-ID.
 */
async function noticeOf(ctx: Context, send: Send): Promise<() => ReportFacts> {
  const { mailDomain } = ctx.config;
  const date = await timeIn(ctx, ctx.store.read, send.workspaceId);
  const original = send.raw === null ? null : await readOriginalHeader(ctx.store.blobs.stream(send.raw));
  return () => ({
    to: send.from,
    messageId: `<${ctx.ids.next(realTime(ctx.clock))}@${mailDomain}>`,
    date,
    originalHeader: original?.block ?? Buffer.alloc(0),
    originalMessageId: original?.messageId ?? null,
    mailDomain,
    arrivedAt: send.createdAt,
  });
}

/**
 * Writes the outcomes of an attempt into its send, by address, and returns the updated send. Recipients without an
 * outcome stay unchanged.
 */
export async function recordOutcomes(
  ctx: Context,
  tx: Tx,
  send: Send,
  outcomes: ReadonlyMap<string, DeliveryOutcome>,
): Promise<Send> {
  if (outcomes.size === 0) return send;
  const now = await timeIn(ctx, tx, send.workspaceId);
  // Attempts go by real time, because a relay knows nothing of this server's clock offset. All recipients get one time,
  // because those with the same time of the next attempt share its mail.
  const at = realTime(ctx.clock);
  const recipients = send.recipients.map((recipient) => {
    const outcome = recipient.state === 'queued' ? outcomes.get(recipient.address) : undefined;
    return outcome === undefined ? recipient : recipientAfterAttempt(recipient, outcome, at);
  });
  const done = !isPending({ ...send, recipients });
  const fields = { recipients, state: stateOf(recipients), updatedAt: now, ...(done && { raw: null }) };
  const updated = (await tx.sends.update(send.id, fields)) ?? { ...send, ...fields };
  const changed = recipients.some(({ state }, position) => state !== send.recipients[position]?.state);
  if (changed) await recordSendUpdated(ctx, tx, updated);
  return updated;
}
