import type { Context } from '../context.ts';
import { serverOf } from '../domain/auto-relay.ts';
import type { MailboxId, SendId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef } from '../domain/message.ts';
import { simulated } from '../domain/outbound.ts';
import {
  type DeliveryOutcome,
  isLocalRecipient,
  isWaiting,
  type Lane,
  type Onward,
  type Send,
} from '../domain/send.ts';
import { MAIL_REFUSALS } from '../domain/smtp.ts';
import { leavingMail } from '../mail/leaving-mail.ts';
import { createMailScanner, type Scan } from '../mail/scan.ts';
import type { Relay, RelayOutcome } from '../ports/outbound.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { recordOutcomes } from './conclude-attempt.ts';
import { topFields } from './read-message.ts';
import { checkRoom, keepFacts, MailRefused, newMessage, ownFacts, routeRecipient } from './receive-message.ts';

/**
 * Makes one attempt to deliver a send to these recipients, all of one lane. {@link concludeAttempt} records the
 * outcomes.
 */
export function deliverSend(
  ctx: Context,
  send: Send,
  lane: Lane,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  if (send.onward !== undefined) return deliverOnward(ctx, send, send.onward, addresses, signal);
  return lane === 'relay' && ctx.relay !== null
    ? deliverOverRelay(ctx, ctx.relay, send, addresses, signal)
    : deliverHere(ctx, send, addresses);
}

/** A mail that passed more servers than this goes in a circle (RFC 5321 6.3). */
const MOST_HOPS = 25;

/** Sends mail on that leaves by itself, unless it goes in a circle, or its server is no longer there. */
async function deliverOnward(
  ctx: Context,
  send: Send,
  onward: Onward,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const relay = serverFor(ctx, onward);
  const isCircle = relay !== null && (await goesInCircle(rawOf(ctx, send.id)));
  if (relay !== null && !isCircle) return deliverOverRelay(ctx, relay, send, addresses, signal);
  const reply = isCircle
    ? 'The mail goes in a circle: it has passed more than 25 servers'
    : `No rule of the configuration names ${onward.server ?? 'a relay'} any more`;
  return new Map(addresses.map((address) => [address, { state: 'failed', reply }]));
}

/** Finds the server for a mail that leaves by itself. Null if the configuration no longer has it. */
function serverFor({ relay, autoRelays }: Context, { server }: Onward): Relay | null {
  return server === null ? relay : (autoRelays.find(({ rule }) => serverOf(rule) === server)?.relay ?? null);
}

/** Tells whether a mail has passed so many servers that it must go in a circle. */
async function goesInCircle(raw: AsyncIterable<Buffer>): Promise<boolean> {
  const fields = await topFields(raw);
  return fields.filter(({ name }) => name.toLowerCase() === 'received').length > MOST_HOPS;
}

const NO_RELAY = 'Kept here: no relay is set';
const NO_LONGER_CLAIMED = 'Kept here: the mailbox that claimed the address no longer does';

/**
 * Delivers to recipients that this server handles itself: local mailboxes, the simulator, and recipients that are
 * captured because no relay is set. Returns the outcomes the caller must record; the copy in a mailbox is already
 * recorded.
 */
async function deliverHere(
  ctx: Context,
  send: Send,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const { mailDomain } = ctx.config;
  const read = await ctx.store.readNow();
  const outcomes = new Map<string, DeliveryOutcome>();
  const local: string[] = [];
  for (const address of addresses) {
    const outcome = simulatedOutcome(address, mailDomain);
    if (outcome !== null) outcomes.set(address, outcome);
    else if (isLocalRecipient(address, mailDomain) || (await read.mailboxes.byAddress(address)) !== null)
      local.push(address);
    else outcomes.set(address, { state: 'captured', reply: ctx.relay === null ? NO_RELAY : NO_LONGER_CLAIMED });
  }
  const inbound = await inboundAmong(ctx, read, send, outcomes);
  if (inbound.length > 0) for (const address of await handOver(ctx, send, inbound)) outcomes.delete(address);
  if (local.length === 0) return outcomes;
  return new Map([...outcomes, ...(await deliverCopies(ctx, send, local))]);
}

/** Returns the captured recipients whose mail is for the app. */
async function inboundAmong(ctx: Context, reader: Reader, send: Send, outcomes: Outcomes): Promise<string[]> {
  const found: string[] = [];
  for (const [address, { state }] of outcomes)
    if (state === 'captured' && (await ctx.inbound.takes(reader, send.workspaceId, address))) found.push(address);
  return found;
}

/** Puts a send on its way to the app, once, and records that. Returns the recipients that a rule took. */
function handOver(ctx: Context, send: Send, addresses: readonly string[]): Promise<readonly string[]> {
  return ctx.store.transaction(async (tx) => {
    const current = await tx.sends.get(send.id);
    const message = await tx.messages.get(send.messageId, momentNow(ctx.clock));
    if (current === null || message === null) return [];
    const waiting = addresses.filter((address) => isWaiting(current, address));
    const taken = await ctx.inbound.offer(ctx, tx, message, waiting);
    const outcome: DeliveryOutcome = { state: 'delivered', reply: '250 2.0.0 Ok: given to the app' };
    await recordOutcomes(ctx, tx, current, new Map(taken.map((address) => [address, outcome])));
    return taken;
  });
}

function simulatedOutcome(address: string, mailDomain: string): DeliveryOutcome | null {
  const remote = `simulator.${mailDomain}`;
  switch (simulated(address, mailDomain)) {
    case 'bounce':
      return { state: 'bounced', reply: '550 5.1.1 The simulator knows no such user', remote };
    case 'complaint':
      return { state: 'complained', reply: '250 2.0.0 Ok, and then complained about', remote };
    case 'success':
      return { state: 'delivered', reply: '250 2.0.0 Ok, and dropped', remote };
    case null:
      return null;
  }
}

type Outcomes = Map<string, DeliveryOutcome>;

/**
 * Copies a send's message into the local mailboxes of its recipients. Each mailbox gets one copy for all its recipients
 * (docs/contract.md#recipients). One transaction stores the copies and their outcomes, so a retry delivers no second
 * copy. Returns the outcomes of the recipients that got no copy, with the reply SMTP would give.
 */
async function deliverCopies(ctx: Context, send: Send, addresses: readonly string[]): Promise<Outcomes> {
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
  await ctx.inbound.offer(ctx, tx, message, rcptTo);
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

const LOST = 'No answer was recorded when the relay had been given the message: it may have been delivered';

/**
 * Hands a send to the relay for these recipients in one SMTP transaction. Returns the outcomes the caller must record.
 * It never hands a message over twice for the same recipient.
 */
async function deliverOverRelay(
  ctx: Context,
  relay: Relay,
  send: Send,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const given = new Set(send.recipients.filter(({ handedOver }) => handedOver).map(({ address }) => address));
  const outcomes = new Map<string, DeliveryOutcome>();
  for (const address of addresses) {
    if (given.has(address)) outcomes.set(address, { state: 'failed', reply: LOST, remote: relay.name });
  }
  const recipients = addresses.filter((address) => !given.has(address));
  if (recipients.length === 0) return outcomes;
  const { id, from } = send;
  const answered = await relay.send(
    { from, recipients, raw: () => bytesOf(ctx, send), handOver: (accepted) => recordHandOver(ctx, id, accepted) },
    signal,
  );
  for (const address of recipients) {
    const outcome = answered.get(address) ?? { kind: 'deferred', reply: 'The relay said nothing of it' };
    outcomes.set(address, { ...stateOf(outcome), remote: relay.name });
  }
  return outcomes;
}

/** The state of a recipient after each answer of a relay. */
const STATES = {
  accepted: 'delivered',
  refused: 'bounced',
  deferred: 'queued',
  impossible: 'failed',
  unknown: 'failed',
} as const satisfies Record<RelayOutcome['kind'], DeliveryOutcome['state']>;

function stateOf({ kind, reply }: RelayOutcome): DeliveryOutcome {
  const unknown = `No answer came to the message, which may have been delivered: ${reply}`;
  return { state: STATES[kind], reply: kind === 'unknown' ? unknown : reply };
}

function bytesOf(ctx: Context, { id, onward }: Send): AsyncGenerator<Buffer> {
  const raw = rawOf(ctx, id);
  return onward === undefined ? raw : leavingMail(raw, { from: onward.from, fields: onward.trace });
}

/** Looks the bytes up when the relay asks for them, because they may move while the send waits for a connection. */
async function* rawOf({ store }: Context, id: SendId): AsyncGenerator<Buffer> {
  const raw = (await store.read.sends.get(id))?.raw;
  if (raw == null) throw new Error('the send is gone');
  yield* store.blobs.stream(raw);
}

/** Records the hand-over before the relay can accept the message. These recipients get no second copy after a crash. */
async function recordHandOver({ store }: Context, id: SendId, accepted: readonly string[]): Promise<void> {
  await store.transaction(async (tx) => {
    const send = await tx.sends.get(id);
    if (send === null) throw new Error('the send is gone');
    const recipients = send.recipients.map((recipient) =>
      accepted.includes(recipient.address) ? { ...recipient, handedOver: true } : recipient,
    );
    await tx.sends.update(id, { recipients });
  });
}
