import { readParsed, unlessGone } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import { domainIn } from '../domain/address.ts';
import { type MessageId, parseUlid } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { type SuppressionEntry, simulated } from '../domain/outbound.ts';
import {
  collectionId,
  type Interaction,
  keyOfRecord,
  MOST_RECORDS,
  type ProviderMail,
  type ProviderRecord,
} from '../domain/provider.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { shorten } from '../text/shorten.ts';
import { oneByOne } from './calls.ts';
import {
  answerText,
  type Door,
  type DoorAnswer,
  type DoorCall,
  DoorRefusal,
  type EmailEvent,
  type Outcome,
  type ProblemKind,
  problemOf,
} from './door.ts';
import { queueEvents } from './events.ts';
import { type DoorArrival, discardMails, otherTurn, readyMails, storeMails, transcriptOf } from './mails.ts';
import { putRecord, type RecordScope } from './records.ts';
import { suppressionOf } from './suppressions.ts';

// How the API of a provider takes mails, whatever the provider: all or none of a request, now or at their time.

/** A mail of a request, and what the provider gives back of it later. */
export interface AskedMail {
  readonly mail: ProviderMail;
  /** The fields that the provider gives back. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** When it is to be sent, in the time of the workspace. Absent: now. */
  readonly dueAt?: number | undefined;
  /** Takes the mail and tells of its events, but delivers it to nobody, as the provider does in its test mode. */
  readonly isTest?: boolean | undefined;
}

/** `received` is a text that a phone sent to the app. */
export type EmailState = 'scheduled' | 'canceled' | 'failed' | 'suppressed' | 'received' | Outcome | Interaction;

/** What is kept of an email. */
export interface EmailData {
  readonly state: EmailState;
  /** The ids of its messages: a copy for each mailbox. */
  readonly messages: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly messageId: string;
  /** The addresses of the envelope. */
  readonly recipients: readonly string[];
  /** The mail of a scheduled email. */
  readonly mail?: KeptProviderMail;
  readonly arrival?: DoorArrival;
}

/** A mail as JSON: the bytes of its files are base64. */
type KeptProviderMail = Omit<ProviderMail, 'attachments' | 'raw'> & {
  readonly attachments: readonly (Omit<ProviderMail['attachments'][number], 'content'> & {
    readonly content: string;
  })[];
};

/** The largest mail that can be scheduled, in characters of JSON. It waits in memory. */
export const LARGEST_SCHEDULED = 256 * 1024;

/** Tells whether a mail is small enough to be scheduled. */
export function canWait(mail: ProviderMail): boolean {
  return JSON.stringify(toKept(mail)).length <= LARGEST_SCHEDULED;
}

/** Takes the mails of a request, all or none, and records the answer. */
export async function sendMails(call: DoorCall, asked: readonly AskedMail[], answer: DoorAnswer): Promise<DoorAnswer> {
  const { ctx } = call;
  for (const { mail, dueAt } of asked) {
    await checkSender(call, mail);
    if (dueAt !== undefined && !canWait(mail)) throw refusalOf(call, 'too_large_to_wait');
  }
  const arrival = arrivalOf(call, answer, asked.length);
  const [now, later] = [asked.filter(isNow), asked.filter((one) => !isNow(one))];
  const suppressed = await suppressedAmong(
    call,
    now.flatMap(({ mail }) => mail.recipients),
  );
  const sent = now
    .filter(({ isTest }) => isTest !== true)
    .map(({ mail }) => withoutSuppressed(mail, suppressed))
    .filter(hasRecipients);
  const ready = await readyMails(ctx, sent, arrival, isTestAddress(call));
  return call.once(
    async (tx) => {
      const copies = new Map((await storeMails(ctx, tx, ready)).map((own, index) => [sent[index]?.id, own]));
      for (const [index, { mail, fields }] of now.entries()) {
        await otherTurn(index);
        const messages = copies.get(mail.id)?.map(({ id }) => id) ?? [];
        await conclude(call, tx, mail, { messages, fields }, suppressed);
      }
      if (later.length > 0) await checkScheduled(call, tx, later.length);
      for (const one of later) await schedule(call, tx, one, arrival);
      return answer;
    },
    () => discardMails(ctx, ready),
  );
}

/** Keeps a mail until it is due. */
export async function schedule(
  scope: RecordScope,
  tx: Tx,
  { mail, fields, dueAt }: AskedMail,
  arrival: DoorArrival,
): Promise<void> {
  const { messageId, recipients } = mail;
  const kept = { messages: [], fields, messageId, recipients, mail: toKept(mail), arrival };
  const record = await putRecord(scope, tx, 'emails', mail.id, { state: 'scheduled', ...kept, dueAt });
  await queueEvents(scope, tx, [{ type: 'scheduled', record, address: null }]);
}

/**
 * Delivers the mails of a request, all or none, of which the provider lists none later. `keep` records in the same
 * transaction what it keeps.
 */
export async function deliverMails(
  call: DoorCall,
  mails: readonly ProviderMail[],
  answer: DoorAnswer,
  keep: (tx: Tx) => Promise<void>,
): Promise<DoorAnswer> {
  const { ctx } = call;
  const ready = await readyMails(ctx, mails, arrivalOf(call, answer, mails.length), isTestAddress(call));
  return call.once(
    async (tx) => {
      await storeMails(ctx, tx, ready);
      await keep(tx);
      return answer;
    },
    () => discardMails(ctx, ready),
  );
}

/**
 * Refuses a mail whose sender is no identity, if the workspace demands one. At Mailgun the domain of the path sends, not
 * that of the address.
 */
export async function checkSender(call: DoorCall, { mailFrom }: Pick<ProviderMail, 'mailFrom'>): Promise<void> {
  const { ctx, workspaceId, params } = call;
  const read = ctx.store.read;
  if ((await read.workspaces.get(workspaceId))?.senders !== 'verified') return;
  const sender = params['domain'] === undefined ? mailFrom : `any@${params['domain']}`;
  const domain = domainIn(sender).toLowerCase();
  const own = await read.identities.list(workspaceId);
  if (own.some((one) => domain === one.domain || domain.endsWith(`.${one.domain}`))) return;
  throw refusalOf(call, 'unverified_sender', { sender });
}

/** Creates the provider's refusal for a problem that any request can meet. */
function refusalOf({ door, url }: DoorCall, kind: ProblemKind, facts: { readonly sender?: string } = {}): DoorRefusal {
  return door.refusal({ ...problemOf(kind), ...facts }, url);
}

/** Why addresses are on the suppression list, by the addresses. */
type Suppressed = ReadonlyMap<string, SuppressionEntry['reason']>;

/** Returns the addresses that are on the suppression list of the workspace. Test addresses never are. */
export async function suppressedAmong(scope: RecordScope, addresses: readonly string[]): Promise<Suppressed> {
  const reader = await scope.ctx.store.readNow();
  const found = new Map<string, SuppressionEntry['reason']>();
  for (const address of new Set(addresses)) {
    const entry =
      outcomeOf(scope.ctx, scope.door, address) === null ? await suppressionOf(scope, reader, address) : null;
    if (entry !== null) found.set(address, entry.reason);
  }
  return found;
}

function withoutSuppressed(mail: ProviderMail, suppressed: Suppressed): ProviderMail {
  return { ...mail, recipients: mail.recipients.filter((address) => !suppressed.has(address)) };
}

function hasRecipients({ recipients }: ProviderMail): boolean {
  return recipients.length > 0;
}

/** Delivers a scheduled email whose time has come. */
export async function sendScheduled(scope: RecordScope, record: ProviderRecord): Promise<void> {
  const { ctx } = scope;
  const data = emailData(record);
  if (data.mail === undefined || data.arrival === undefined) throw new Error('a scheduled email has a mail');
  const mail = fromKept(data.mail);
  const suppressed = await suppressedAmong(scope, mail.recipients);
  const sent = [withoutSuppressed(mail, suppressed)].filter(hasRecipients);
  const ready = await readyMails(ctx, sent, data.arrival, isTestAddress(scope));
  let isStored = false;
  try {
    isStored = await ctx.store.transaction(async (tx) => {
      // It may have been cancelled or moved meanwhile.
      const current = await tx.providerRecords.get(record.id);
      if (current?.dueAt !== record.dueAt) return false;
      const [copies = []] = await storeMails(ctx, tx, ready);
      await conclude(scope, tx, mail, { messages: copies.map(({ id }) => id), fields: data.fields }, suppressed);
      return true;
    });
  } finally {
    if (!isStored) discardMails(ctx, ready);
  }
}

/** Records that a scheduled email can't be delivered, such as to a mailbox that is gone. */
export async function failScheduled(scope: RecordScope, record: ProviderRecord): Promise<void> {
  await scope.ctx.store.transaction(async (tx) => {
    const failed = await endScheduled(scope, tx, record, 'failed');
    await queueEvents(scope, tx, [{ type: 'failed', record: failed, address: null }]);
  });
}

/** Cancels a scheduled email. Returns its record. */
export function cancelScheduled(scope: RecordScope, tx: Tx, record: ProviderRecord): Promise<ProviderRecord> {
  return endScheduled(scope, tx, record, 'canceled');
}

/** Gives a scheduled email its last state. Its mail is no longer kept. */
function endScheduled(
  scope: RecordScope,
  tx: Tx,
  record: ProviderRecord,
  state: 'canceled' | 'failed',
): Promise<ProviderRecord> {
  const { mail: _mail, arrival: _arrival, ...data } = emailData(record);
  return putRecord(scope, tx, 'emails', keyOfRecord(record), { ...data, state });
}

/**
 * Returns when a mail is to be sent: undefined for a time that has passed. Throws what `refuse` makes of a time that is
 * none, or further ahead than the provider schedules.
 */
export function dueIn(
  time: number,
  now: number,
  longestMs: number,
  refuse: (wrong: 'no_time' | 'too_late') => Error,
): number | undefined {
  if (!Number.isFinite(time) || time <= 0) throw refuse('no_time');
  if (time > now + longestMs) throw refuse('too_late');
  return time <= now ? undefined : Math.floor(time);
}

/**
 * Reads the mails of a batch, of which each is sent or refused by itself. Returns those to send, and what is answered to
 * each: the refusal, or what `written` makes of the mail.
 */
export async function readBatch(
  call: DoorCall,
  given: readonly unknown[],
  read: (one: unknown) => Promise<AskedMail>,
  written: (asked: AskedMail) => unknown,
): Promise<{ readonly asked: readonly AskedMail[]; readonly answers: readonly unknown[] }> {
  const asked: AskedMail[] = [];
  const answers = await oneByOne(given, async (one) => {
    try {
      const mail = await read(one);
      await checkSender(call, mail.mail);
      asked.push(mail);
      return written(mail);
    } catch (error) {
      if (!(error instanceof DoorRefusal)) throw error;
      return error.answer.body;
    }
  });
  return { asked, answers };
}

/** Returns the recipients that an event is about. */
export function recipientsOf({ record, address }: EmailEvent): readonly string[] {
  return address === null ? emailData(record).recipients : [address];
}

/** Returns the stored message of an email; null if it is gone, or not sent yet. */
export function messageOf(ctx: Context, record: ProviderRecord): Promise<Message | null> {
  return keptMessage(ctx, ctx.store.read, emailData(record).messages[0]);
}

/** Returns the message whose id a record keeps; null if it is gone. */
export async function keptMessage({ clock }: Context, reader: Reader, kept = ''): Promise<Message | null> {
  const id = parseUlid<MessageId>(kept);
  return id === null ? null : reader.messages.get(id, momentNow(clock));
}

/** Reads the bodies of an email. They are null if its message is gone. */
export async function bodiesOf(
  ctx: Context,
  record: ProviderRecord,
): Promise<{ html: string | null; text: string | null }> {
  const { mail } = emailData(record);
  if (mail !== undefined) return { html: mail.html, text: mail.text };
  const message = await messageOf(ctx, record);
  const parsed = message === null ? null : await unlessGone(ctx, message, () => readParsed(ctx, message));
  return { html: parsed?.htmlBody ?? null, text: parsed?.textBody ?? null };
}

/** Returns what a record keeps of an email. */
export function emailData({ data }: ProviderRecord): EmailData {
  return data as unknown as EmailData; // `sendMails` alone writes these records
}

/** Returns the scheduled emails of a provider. */
export async function scheduledEmails({ workspaceId, door }: RecordScope, reader: Reader): Promise<ProviderRecord[]> {
  const collection = collectionId(workspaceId, door.name, 'emails');
  return (await reader.providerRecords.due()).filter((record) => record.collection === collection);
}

/** Refuses to schedule if too many emails are scheduled. They wait in memory. */
async function checkScheduled(call: DoorCall, tx: Tx, more: number): Promise<void> {
  const waiting = await scheduledEmails(call, tx);
  if (waiting.length + more > MOST_RECORDS) throw refusalOf(call, 'too_many_scheduled');
}

async function conclude(
  scope: RecordScope,
  tx: Tx,
  mail: ProviderMail,
  kept: Pick<EmailData, 'messages' | 'fields'>,
  suppressed: Suppressed,
): Promise<void> {
  const { messageId, recipients } = mail;
  const outcomes = recipients.map((address) => ({
    address,
    reason: suppressed.get(address),
    outcome: suppressed.has(address)
      ? ('suppressed' as const)
      : (outcomeOf(scope.ctx, scope.door, address) ?? ('delivered' as const)),
  }));
  const state = WORST_FIRST.find((one) => outcomes.some(({ outcome }) => outcome === one)) ?? 'delivered';
  const record = await putRecord(scope, tx, 'emails', mail.id, { state, ...kept, messageId, recipients });
  const events: EmailEvent[] = [{ type: 'sent', record, address: null }];
  for (const { address, outcome, reason } of outcomes) {
    if (outcome === 'delivered' || outcome === 'complained') events.push({ type: 'delivered', record, address });
    if (outcome !== 'delivered')
      events.push({ type: outcome, record, address, ...(reason !== undefined && { reason }) });
  }
  await queueEvents(scope, tx, events);
}

const WORST_FIRST = ['bounced', 'complained', 'suppressed'] as const;

/** Returns what happens at a test address of the provider or of the simulator; null for any other address. */
function outcomeOf({ config }: Context, door: Door, address: string): Outcome | null {
  switch (simulated(address, config.mailDomain)) {
    case 'bounce':
      return 'bounced';
    case 'complaint':
      return 'complained';
    case 'success':
      return 'delivered';
    default:
      return door.outcomeOf?.(address) ?? null;
  }
}

/** Returns what tells whether an address is a test address of the provider or of the simulator. */
function isTestAddress({ ctx, door }: RecordScope): (address: string) => boolean {
  return (address) => outcomeOf(ctx, door, address) !== null;
}

function isNow({ dueAt }: AskedMail): boolean {
  return dueAt === undefined;
}

function toKept({ attachments, raw: _raw, ...mail }: ProviderMail): KeptProviderMail {
  return {
    ...mail,
    attachments: attachments.map(({ content, ...file }) => ({
      ...file,
      content: Buffer.from(content).toString('base64'),
    })),
  };
}

function fromKept({ attachments, ...mail }: KeptProviderMail): ProviderMail {
  return {
    ...mail,
    attachments: attachments.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, 'base64') })),
  };
}

/** The characters of a body that a message shows, and that all messages of a request show together. */
const SHOWN_BODY = 64 * 1024;
const SHOWN_OF_REQUEST = 1024 * 1024;

function arrivalOf(call: DoorCall, answer: DoorAnswer, mails: number): DoorArrival {
  const { clientAddress, clientPort, workspaceId, door } = call;
  const request = [
    `${call.method} ${call.url} HTTP/1.1`,
    ...call.shownHeaders.map(([name, value]) => `${name}: ${value}`),
    '',
    ...shorten(call.body.shown, Math.min(SHOWN_BODY, Math.ceil(SHOWN_OF_REQUEST / mails))).split(/\r?\n/),
  ];
  const reply = [`HTTP/1.1 ${answer.status}`, ...(answerText(answer) ?? '').split(/\r?\n/)];
  return { provider: door.name, workspaceId, clientAddress, clientPort, transcript: transcriptOf(request, reply) };
}
