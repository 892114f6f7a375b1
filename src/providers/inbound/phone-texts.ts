import { takerOf } from '../../actions/receive-message.ts';
import { timeIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { refuse } from '../../domain/errors.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import { parsePhone, phoneOf, WHATSAPP } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderName, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { realTime } from '../../ports/system.ts';
import { type AnswerText, type AppAnswer, BadAnswer, type OutgoingEvent, type PhoneText } from '../door.ts';
import { type TriedRequest, tryOutgoing } from '../events.ts';
import { isText, isWebUrl } from '../fields.ts';
import { type DoorArrival, transcriptOf } from '../mails.ts';
import { getRecord, putRecord, type RecordScope, removeRecord, whileKept } from '../records.ts';
import { schedule } from '../send.ts';
import { DOORS } from '../table.ts';
import { allRules } from './rules.ts';

// Texts that a phone sends to the app (docs/text-messages.md#texts-to-the-app). The phone is a mailbox. The provider of the
// number brings the text to the app, and the app may answer with texts.

/** A text as a client gives it. */
export interface GivenText {
  readonly from?: unknown;
  readonly to?: unknown;
  readonly body?: unknown;
  readonly media?: unknown;
}

/** A text on its way to the app. */
export interface TextUnderWay {
  /** The id that the provider gave it. */
  readonly id: string;
  readonly provider: ProviderName;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** The data of a record of a text on its way. */
interface TextData extends TriedRequest {
  /** The key of the record of the text. */
  readonly text: string;
  /** The id of the rule's record. */
  readonly rule: string;
  /** Texts of one phone to one number go one after another. */
  readonly about: string;
}

const LONGEST = 1_600;
const MOST_MEDIA = 10;

/**
 * Sends a text from the phone of a mailbox to a number of the app. Throws `invalid_text`, and `number_without_app` if no
 * provider has the number.
 */
export async function sendPhoneText(ctx: Context, mailbox: Mailbox, given: GivenText): Promise<TextUnderWay> {
  const { workspaceId } = mailbox;
  const text = await checked(ctx, mailbox, given);
  return ctx.store.transaction(async (tx) => {
    const found = await ruleOf(tx, mailbox, phoneOf(text.to));
    if (found === null) throw refuse('number_without_app');
    const { door, part, rule } = found;
    const scope: RecordScope = { ctx, workspaceId, door };
    const key = ctx.ids.next(realTime(ctx.clock));
    const { id, fields } = part.received(text, rule, key);
    const kept = { state: 'received', messages: [], fields, messageId: '', recipients: [phoneOf(text.to)] };
    await putRecord(scope, tx, 'emails', id, kept);
    const data: TextData = { id: `text_${key}`, number: 1, text: id, rule: rule.id, about: `${text.from} ${text.to}` };
    await putRecord(scope, tx, 'texts', key, { ...data, dueAt: await timeIn(ctx, tx, workspaceId) });
    return { id, provider: door.name, from: text.from, to: text.to, body: text.body };
  });
}

function addressIn(value: unknown): string | null {
  if (!isText(value)) return null;
  const channel = value.startsWith(WHATSAPP) ? WHATSAPP : '';
  const number = parsePhone(value.slice(channel.length)) ?? (/^\d{3,8}$/.test(value) ? value : null);
  return number === null ? null : channel + number;
}

async function checked(ctx: Context, mailbox: Mailbox, given: GivenText): Promise<PhoneText> {
  const wrong = (message: string) => refuse('invalid_text', { message });
  const reader = await ctx.store.readNow();
  const to = addressIn(given.to);
  if (to === null) throw wrong('to is no phone number with its country code');
  const [own = null] = (await reader.mailboxes.addresses(mailbox.id)).filter((one) => !one.includes('@'));
  const sender = given.from ?? own;
  if (sender === null) throw wrong('from is missing, and the mailbox claims no phone number');
  const phone = addressIn(isText(sender) ? phoneOf(sender) : sender);
  if (phone === null || phone.length < 8) throw wrong('from is no phone number with its country code');
  if ((await takerOf(ctx, reader, phone))?.id !== mailbox.id)
    throw wrong(`from is ${phone}, whose texts come to another mailbox`);
  const { body = '', media = [] } = given;
  if (!isText(body) || body.length > LONGEST) throw wrong(`body is no text of at most ${LONGEST} characters`);
  if (!Array.isArray(media) || media.length > MOST_MEDIA || !media.every((url) => isText(url) && isWebUrl(url)))
    throw wrong(`media is no list of at most ${MOST_MEDIA} http or https URLs`);
  if (body === '' && media.length === 0) throw wrong('body is empty');
  return { from: to.startsWith(WHATSAPP) ? WHATSAPP + phone : phone, to, body, media };
}

async function ruleOf(reader: Reader, { workspaceId }: Mailbox, number: string) {
  const rules = await allRules(reader, workspaceId);
  for (const door of Object.values(DOORS)) {
    const part = door.phoneTexts;
    const own = rules.filter(({ provider }) => provider === door.name);
    const rule = part?.ruleFor(own, number) ?? null;
    if (part !== undefined && rule !== null) return { door, part, rule };
  }
  return null;
}

/**
 * Makes the next try to hand a text to the app, and sends the texts that the app answers. If the text or the rule is gone,
 * it is dropped.
 */
export async function handOverText(scope: RecordScope, record: ProviderRecord, signal: AbortSignal): Promise<void> {
  const { ctx, door } = scope;
  const data = record.data as unknown as TextData; // `sendPhoneText` alone writes these records
  const reader = await ctx.store.readNow();
  const text = await getRecord(scope, reader, 'emails', data.text);
  const rule = await reader.providerRecords.get(data.rule);
  const part = door.phoneTexts;
  const drop = (tx: Tx) => removeRecord(scope, tx, 'texts', keyOfRecord(record));
  if (text === null || rule === null || part === undefined) return ctx.store.transaction(drop);
  const request = part.write(text, rule, data.number);
  const { status, error, delayMs, reply } = await tryOutgoing(ctx, data, request, signal);
  if (signal.aborted) return;
  const isTaken = status !== null && status < 300;
  const answer: AppAnswer = {
    type: mediaTypeOr(reply.headers['content-type'] ?? null, ''),
    body: Buffer.from(reply.beginning).toString('utf8'),
  };
  let answers: readonly AnswerText[] = [];
  let problem = isTaken ? null : (error ?? `the app answered ${status}`);
  const newUlid = () => ctx.ids.next(realTime(ctx.clock));
  try {
    if (isTaken) answers = (await part.answersIn?.(answer, text, rule, newUlid)) ?? [];
  } catch (cause) {
    if (!(cause instanceof BadAnswer)) throw cause;
    problem = cause.message;
  }
  const pause = request.delays?.[data.number - 1];
  const waitMs = isTaken && pause !== undefined ? pause * 1_000 : delayMs;
  const isLast = problem === null || waitMs === null;
  if (problem !== null)
    ctx.log.warn('a text of a phone failed at the app', { provider: door.name, tries: data.number, problem, isLast });
  await whileKept(scope, record, async (tx) => {
    const now = await timeIn(ctx, tx, record.workspaceId);
    if (!isLast) {
      const next = { ...data, number: data.number + 1, dueAt: now + waitMs };
      await putRecord(scope, tx, 'texts', keyOfRecord(record), next);
      return;
    }
    await drop(tx);
    const arrival = arrivalOf(scope, request, status ?? 0, answer);
    for (const one of answers) await schedule(scope, tx, { ...one, dueAt: now }, arrival);
  });
}

/** How an answer of the app came: a message shows the request and the answer. */
function arrivalOf(
  { workspaceId, door }: RecordScope,
  { method = 'POST', url, headers, body }: OutgoingEvent,
  status: number,
  answer: AppAnswer,
): DoorArrival {
  const { pathname, search } = new URL(url);
  const shown = headers.map(([name, value]) => `${name}: ${value}`);
  const request = [`${method} ${pathname}${search} HTTP/1.1`, ...shown, '', ...String(body).split(/\r?\n/)];
  const replied = [`HTTP/1.1 ${status}`, `Content-Type: ${answer.type}`, '', ...answer.body.split(/\r?\n/)];
  const transcript = transcriptOf(request, replied);
  return { provider: door.name, workspaceId, clientAddress: null, clientPort: null, transcript };
}
