import type { Context } from '../context.ts';
import type { DeliveryOutcome } from '../domain/delivery.ts';
import type { MailboxId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef } from '../domain/message.ts';
import { isWaiting, type Send } from '../domain/send.ts';
import { MAIL_REFUSALS } from '../domain/smtp-reply.ts';
import { createMailScanner, type Scan } from '../mail/scan.ts';
import { momentNow } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { keepFacts, ownFacts } from './keep-mail.ts';
import { newMessage } from './new-message.ts';
import { checkRoom, MailRefused, routeRecipient } from './receive-message.ts';
import { recordOutcomes } from './record-outcomes.ts';

type Outcomes = Map<string, DeliveryOutcome>;

/**
 * Copies a send's message into the local mailboxes of its recipients. Each mailbox gets one copy for all its recipients
 * (docs/contract.md#recipients). One transaction stores the copies and their outcomes, so a retry delivers no second
 * copy. Returns the outcomes of the recipients that got no copy, with the reply SMTP would give.
 */
export async function deliverCopies(ctx: Context, send: Send, addresses: readonly string[]): Promise<Outcomes> {
  const { store } = ctx;
  const scan = await scanOf(ctx, send);
  const facts = await keepFacts(ctx, ownFacts('send', send.from, addresses));
  let delivered: Outcomes = new Map();
  try {
    const outcomes = await store.transaction(async (tx): Promise<Outcomes> => {
      const current = await tx.sends.get(send.id);
      if (current?.raw == null) return new Map();
      const waiting = addresses.filter((address) => isWaiting(current, address));
      const all = await copyToAll(ctx, tx, { send: current, raw: current.raw, facts, scan }, waiting);
      await recordOutcomes(ctx, tx, current, deliveredOf(all));
      return all;
    });
    delivered = deliveredOf(outcomes);
    return new Map([...outcomes].filter(([address]) => !delivered.has(address)));
  } finally {
    if (delivered.size === 0) store.blobs.discard([facts]);
  }
}

interface Original {
  readonly send: Send;
  readonly raw: BlobRef;
  readonly facts: BlobRef;
  readonly scan: Scan;
}

async function copyToAll(ctx: Context, tx: Tx, original: Original, addresses: readonly string[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const byMailbox = new Map<MailboxId, [Mailbox, string[]]>();
  for (const address of addresses) {
    const mailbox = await orRefused(routeRecipient(ctx, tx, address));
    if ('state' in mailbox) outcomes.set(address, mailbox);
    else byMailbox.set(mailbox.id, [mailbox, [...(byMailbox.get(mailbox.id)?.[1] ?? []), address]]);
  }
  for (const [mailbox, rcptTo] of byMailbox.values()) {
    const outcome = await orRefused(copyTo(ctx, tx, mailbox, original, rcptTo));
    for (const address of rcptTo) outcomes.set(address, outcome);
  }
  return outcomes;
}

async function copyTo(
  ctx: Context,
  tx: Tx,
  mailbox: Mailbox,
  { send, raw, facts, scan }: Original,
  rcptTo: readonly string[],
): Promise<DeliveryOutcome> {
  const now = momentNow(ctx.clock);
  await checkRoom(ctx, tx, mailbox, scan.sizeBytes, now);
  const message = await newMessage(ctx, tx, mailbox, { raw, facts, scanned: scan, mailFrom: send.from, rcptTo }, now);
  await tx.messages.insert(message);
  return { state: 'delivered', reply: `250 2.0.0 Ok: ${message.id}` };
}

function deliveredOf(outcomes: Outcomes): Outcomes {
  return new Map([...outcomes].filter(([, { state }]) => state === 'delivered'));
}

async function orRefused<T>(taking: Promise<T>): Promise<T | DeliveryOutcome> {
  try {
    return await taking;
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    const { code, text } = MAIL_REFUSALS[error.reason];
    return { state: code >= 500 ? 'bounced' : 'queued', reply: `${code} ${text}` };
  }
}

async function scanOf({ store }: Context, { raw }: Send): Promise<Scan> {
  const scanner = createMailScanner();
  if (raw !== null) for await (const piece of store.blobs.stream(raw)) scanner.write(piece);
  return scanner.finish();
}
