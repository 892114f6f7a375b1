import { visibleText } from '../../extract/visible-text.ts';
import { shorten } from '../../text/shorten.ts';
import { NO_CLIENT, saidMissedTls } from '../../text/why-not.ts';
import type { Api } from '../connection/caller.ts';
import type { Diagnosis, FoundMessage } from '../connection/local-resources.ts';
import { WaitTimeoutError } from '../errors.ts';
import {
  checkFilter,
  each,
  hasText,
  isEmpty,
  type TextFilter,
  textOrPattern,
  whyNot,
  writeFilter,
  writeTextFilter,
} from '../options/check-options.ts';
import type { CallOptions, Deadline } from '../transport/transport.ts';
import { type AskedWait, reasonAgainst, sinceOf, whereToLook } from '../waiting/wait.ts';
import { type WaitNote, writeWaitNote } from '../waiting/wait-note.ts';
import { wordsOfTexts } from './any-kind.ts';
import {
  type Arrival,
  type MailboxParts,
  type MessageKind,
  type Recipients,
  SentCopies,
  type ServerFilter,
} from './arrivals.ts';
import { type Address, addressesOf, comparable, createMessage, isWholeAddress, type Message } from './message.ts';
import { type SendSms, type SmsMessage, smsOf } from './sms.ts';

/**
 * The filters of a message, all of which must match. A text matches as a part, in any case; a pattern is tested as it
 * is.
 *
 * @example await mailbox.waitForMessage({ subject: 'code', from: 'noreply@shop.test' });
 */
export interface MessageFilter {
  /** A filter of the subject. */
  readonly subject?: TextFilter | undefined;
  /** A filter of the From header and the envelope sender. A whole address matches only that sender. */
  readonly from?: TextFilter | undefined;
  /**
   * A filter of the recipients. A whole address matches only that recipient: `bob@shop.test` does not match
   * `bigbob@shop.test`.
   */
  readonly to?: TextFilter | undefined;
  /** A filter of the body: its text part, or the visible text of its HTML. */
  readonly body?: TextFilter | undefined;
  /**
   * A predicate. It must return true or false at once; an asynchronous function is an OptionError.
   *
   * @example { where: ({ attachments }) => attachments.length === 2 }
   */
  readonly where?: ((message: Message) => boolean) | undefined;
}

/**
 * The filters of a text message, all of which must match. A text matches as a part, in any case; a pattern is tested as
 * it is.
 *
 * @example await mailbox.waitForSms({ to: '+15005550006', body: 'code' });
 */
export interface SmsFilter {
  /** A filter of the sender. */
  readonly from?: TextFilter | undefined;
  /** A filter of the number that it was sent to. */
  readonly to?: TextFilter | undefined;
  /** A filter of the text. */
  readonly body?: TextFilter | undefined;
  /**
   * A predicate. It must return true or false at once; an asynchronous function is an OptionError.
   *
   * @example { where: ({ body }) => body.length <= 160 }
   */
  readonly where?: ((sms: SmsMessage) => boolean) | undefined;
}

const TEXTS = ['subject', 'from', 'to', 'body'] as const;
const CHECKS = each(TEXTS, textOrPattern);
const SMS_CHECKS = each(['from', 'to', 'body'], textOrPattern);
const MAX_SHOWN = 100;

/** Throws an OptionError for an unknown filter or an invalid value. */
export function checkMessageFilter(filter: MessageFilter): void {
  checkFilter('A message filter', filter, CHECKS, 'subject');
}

/** Returns the filter of a message that is a text message. Throws an OptionError. */
export function filterOfSms(filter: SmsFilter | undefined, send: SendSms): MessageFilter {
  checkFilter('A filter of text messages', filter ?? {}, SMS_CHECKS, 'body');
  const { where, ...texts } = filter ?? {};
  return where === undefined ? texts : { ...texts, where: (message) => where(smsOf(message, send)) };
}

/**
 * Returns a reason for each filter that a message does not match; none if it matches. It loads the whole message only if the
 * summary does not decide. `first` stops at the first mismatch. `every`, for a report, returns all of them; without the
 * message, it returns the known ones.
 */
export async function refusalsOf(
  arrival: Arrival,
  filter: MessageFilter,
  load: () => Promise<Message | null>,
  which: 'first' | 'every' = 'first',
): Promise<string[]> {
  const { summary } = arrival;
  const refusals: string[] = [];
  const refuse = (name: (typeof TEXTS)[number], wanted: TextFilter, saw: readonly (string | null)[]) => {
    const isWhole = (name === 'from' || name === 'to') && typeof wanted === 'string' && isWholeAddress(wanted);
    refusals.push(`${name} ${isWhole ? 'is not' : 'has no'} ${writeTextFilter(wanted)}: ${show(saw)}`);
  };
  const { subject, from, to, body, where } = filter;

  if (subject !== undefined && !hasText([summary.subject], subject)) refuse('subject', subject, [summary.subject]);
  const isFrom = from === undefined || hasAddress([summary.from], from);
  const isTo = to === undefined || hasAddress([summary.to], to) || isSentTo(arrival, to);
  const needsDetail = !isFrom || !isTo || body !== undefined || where !== undefined;
  const isReport = which === 'every';
  // A refusal that is known already needs no request.
  const message = needsDetail && (isReport || refusals.length === 0) ? await load() : null;
  if (!isFrom && !hasAddress([message?.envelopeFrom ?? null], from)) refuse('from', from, [summary.from]);
  if (!isTo && !hasAddress([...(message?.cc ?? []), ...(message?.bcc ?? [])], to)) refuse('to', to, [summary.to]);
  if (message === null) return refusals;
  if (body !== undefined) {
    const texts = [message.text, message.html === null ? null : visibleText(message.html).text];
    if (!hasText(texts, body)) refuse('body', body, texts);
  }
  const reason = where !== undefined && (isReport || refusals.length === 0) ? whyNot(where, message, which) : null;
  if (reason !== null) refusals.push(reason);
  return refusals;
}

/** Tells whether any header or address contains the filter. A whole address must be equal to one of them. */
function hasAddress(all: readonly (Address | string | null)[], filter: TextFilter): boolean {
  if (typeof filter !== 'string' || !isWholeAddress(filter))
    return hasText(
      all.map((one) => (one === null ? null : `${one}`)),
      filter,
    );
  const wanted = comparable(filter);
  const addresses = all.flatMap((one) => (typeof one === 'string' ? addressesOf(one) : one === null ? [] : [one]));
  return addresses.some(({ address }) => comparable(address) === wanted);
}

/** Tells whether the server found this part of an address in the envelope. */
function isSentTo({ sentTo }: Arrival, to: TextFilter): boolean {
  return typeof to === 'string' && !isWholeAddress(to) && sentTo.has(to.toLowerCase());
}

function show(texts: readonly (string | null)[]): string {
  const text = texts.find((one) => one !== null) ?? null;
  if (text === null) return 'it has none';
  return `it is ${JSON.stringify(cut(text, MAX_SHOWN))}`;
}

/** Loads the message of an arrival; null if it was deleted. */
export type Load = (arrival: Arrival, options: CallOptions) => Promise<Message | null>;

/** The parts of a handle, and the kind of messages that a wait of it takes. */
export interface WaitParts extends MailboxParts {
  readonly kind: MessageKind | 'any';
}

/** Tells whether a wait takes messages of the kind of an arrival. */
export function isOfKind(kind: WaitParts['kind'], { summary }: Arrival): boolean {
  return kind === 'any' || (summary.kind ?? 'email') === kind;
}

/** Returns the reason why a wait does not return a message; null if nothing stands against it. */
async function reasonAgainstMessage(
  { kind, arrivals }: WaitParts,
  filter: MessageFilter,
  arrival: Arrival,
  load: Load,
  options: CallOptions,
): Promise<string | null> {
  if (isOfKind(kind, arrival))
    return reasonAgainst(arrivals, arrival.id, () =>
      // A report must not fail because a message can't be fetched.
      refusalsOf(arrival, filter, () => load(arrival, options).catch(() => null), 'every'),
    );
  return kind === 'sms'
    ? 'it is an email, and this call takes text messages: waitForMessage takes it'
    : 'it is a text message, and this call takes emails: waitForSms takes it';
}

/** The number of newest messages whose refusal the report explains. */
const MOST = 20;

/**
 * Describes a wait for a local server, which shows it among the waiting tests: the filters, and the reasons why the
 * client refused what came. Null if the server has no local API.
 */
export async function noteWait(
  parts: WaitParts,
  { name: call, filter, options }: AskedWait<MessageFilter>,
  { subject, from, to }: ServerFilter,
  load: Load,
  { signal }: Deadline,
): Promise<string | null> {
  const { api, recipients } = parts;
  const arrivals = parts.arrivals.since(sinceOf(options));
  if (!(await api.hasLocalApi())) return null;
  const refused: WaitNote['refused'][number][] = [];
  for (const arrival of arrivals.entries().slice(-MOST)) {
    const isFor = await recipients.isFor(arrival, { signal });
    const reason = isFor
      ? await reasonAgainstMessage(parts, filter, arrival, load, { signal })
      : 'it is to another address of the mailbox';
    if (reason !== null) refused.push({ id: arrival.id, reason });
  }
  const body = typeof filter.body === 'string' && filter.body !== '' ? filter.body : undefined;
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return writeWaitNote({
    call,
    since: new Date(arrivals.startedAt),
    filters: Object.fromEntries(given.map(([name, value]) => [name, written(value)])),
    asked: { subject, from, to, body },
    undecided: given.filter(([name, value]) => isUndecided(name, value)).map(([name]) => name),
    refused,
  });
}

function written(value: unknown): string {
  return typeof value === 'string' || value instanceof RegExp ? writeTextFilter(value) : 'a function';
}

/** Tells whether only the client can evaluate a filter. */
export function isUndecided(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'string') return true;
  return (name === 'from' || name === 'to') && isWholeAddress(value);
}

const MAX_LINES = 10;

/**
 * Builds the error of a wait without a message. It reports what came and why it did not match, mail that went to other
 * mailboxes, refusals by SMTP, and where to look.
 */
export async function noMessage(
  parts: WaitParts,
  missed: AskedWait<MessageFilter>,
  load: Load,
  options: CallOptions,
): Promise<WaitTimeoutError> {
  const { api, recipients, kind } = parts;
  const arrivals = parts.arrivals.since(sinceOf(missed.options));
  const mine: Arrival[] = [];
  const others: Listed[] = [];
  for (const arrival of arrivals.entries()) {
    if (await SentCopies.of(api).has(arrival.id)) continue;
    if (await recipients.isFor(arrival, options)) mine.push(arrival);
    else others.push(arrival.summary);
  }
  // A failure to read what may explain it must not take the place of the error.
  const diagnosis = await diagnose(parts, missed, options).catch(() => null);
  const elsewhere = diagnosis?.elsewhere.items ?? [];
  const unknown = diagnosis === null ? [] : await forNobody(parts, arrivals.startedAt, options).catch(() => []);
  // The diagnosis lists this mail too if it is in the handle's own workspace.
  const inbox = unknown.filter(({ id }) => elsewhere.every((one) => one.id !== id));
  const told = new Set([...elsewhere, ...inbox].map(({ id }) => id));
  const foreign =
    diagnosis === null ? [] : await inOtherWorkspaces(parts, missed, arrivals.startedAt, told, options).catch(() => []);
  const all = [...mine.map(({ summary }) => summary), ...others, ...elsewhere, ...inbox, ...foreign];
  const line = await linesOf(api, all, options);
  const own = await Promise.all(
    mine.map(async (arrival) => {
      const reason = await reasonAgainstMessage(parts, missed.filter, arrival, load, options);
      return `${line(arrival.summary)}: ${reason ?? 'it matches'}`;
    }),
  );
  const astray = [
    ...others.map(line),
    ...(await elsewhereLines(parts, missed.filter, diagnosis, line, options)),
    ...inbox.map((one) => `${line(one)} (in the inbox, which receives mail to unknown addresses)`),
  ];
  const { count, filter, timeoutMs, name } = missed;
  const what = kind === 'sms' ? 'text message' : 'message';
  const wanted = count === 1 ? `No ${what}` : `Fewer than ${count} ${what}s`;
  const smtp =
    diagnosis === null || kind === 'sms'
      ? null
      : smtpLines(diagnosis, arrivals.startedAt, own.length + astray.length + foreign.length > 0);
  const sections = [
    `${wanted} to ${watchedPlaces(parts)} within ${timeoutMs} ms${isEmpty(filter) ? '' : ` matched ${writeFilter(filter)}`} (${name}).`,
    ...section('The handle has received:', own, 'The handle has received nothing.'),
    ...section('Mail to other addresses:', astray),
    ...claimLine(unknown, recipients),
    ...section(
      'Mail in other workspaces of this server, for example those of other workers:',
      foreign.map((one) => `${line(one)} (workspace ${one.workspaceId})`),
    ),
    ...(smtp?.lines ?? []),
    ...(smtp?.isSilent === true ? [await whereToSend(parts, options)] : []),
    ...(kind === 'sms' && own.length === 0 && recipients.phones.length === 0 ? [NO_PHONE] : []),
  ];
  const { mailboxId } = arrivals;
  const hint = await whereToLook(api, 'mail', mailboxId, `client.listMessages('${mailboxId}')`);
  return new WaitTimeoutError('no_message', sections.join('\n'), { hint }, smtp?.isSilent ?? false);
}

const NO_PHONE =
  "The handle claims no phone number, so texts to a number go to the inbox: { phones: ['+15005550006'] } claims one.";

/** Names what a wait watches: the addresses, the phone numbers, or both. */
export function watchedPlaces({ recipients, kind }: WaitParts): string {
  const { address, claimed, phones } = recipients;
  if (kind === 'sms') return phones.join(', ') || `the mailbox of ${address}`;
  return [address, ...claimed, ...(kind === 'any' ? phones : [])].join(', ');
}

/** A message in a report. */
type Listed = Pick<FoundMessage, 'id' | 'receivedAt' | 'subject' | 'from' | 'to'> & {
  readonly kind?: MessageKind | undefined;
};

/** Returns what writes the line of each of these messages. A text message has no subject: its words name it. */
async function linesOf(api: Api, all: readonly Listed[], options: CallOptions): Promise<(message: Listed) => string> {
  // A report must not fail because a message can't be read.
  const words = await wordsOfTexts(api.local, all, options).catch(() => new Map<string, string>());
  return ({ id, kind, receivedAt, subject, from, to }) =>
    describe({ receivedAt, kind, title: words.get(id) ?? subject, from, to });
}

/** Describes a message in one line, which begins with the time as the API writes it. */
export function describe({
  receivedAt,
  kind,
  title,
  from,
  to,
}: Omit<Listed, 'id' | 'subject'> & { readonly title: string | null }): string {
  const what = kind === 'sms' ? 'text message ' : '';
  return `${receivedAt} ${what}"${cut(title ?? '')}" from ${cut(from || 'nobody')} to ${cut(to || 'nobody')}`;
}

/** Asks the local API for a diagnosis; null if it has none. */
async function diagnose(
  { api, arrivals, recipients }: MailboxParts,
  { filter, options: { since } }: AskedWait<MessageFilter>,
  options: CallOptions,
): Promise<Diagnosis | null> {
  if (!(await api.hasLocalApi())) return null;
  const text = (one: string | RegExp | undefined) => (typeof one === 'string' ? one : undefined);
  const asked = {
    subject: text(filter.subject),
    from: text(filter.from),
    to: recipients.part ?? text(filter.to),
    body: text(filter.body),
    since: new Date(arrivals.since(sinceOf({ since })).startedAt),
  };
  return api.local.diagnoseMailbox(arrivals.mailboxId, asked, options);
}

async function elsewhereLines(
  { api }: MailboxParts,
  filter: MessageFilter,
  diagnosis: Diagnosis | null,
  line: (message: Listed) => string,
  options: CallOptions,
): Promise<string[]> {
  if (diagnosis === null) return [];
  const { items, leftOut } = diagnosis.elsewhere;
  const undecided = Object.entries(filter).some(([name, value]) => isUndecided(name, value));
  const verdict = async (one: Elsewhere) => {
    if (!one.matches) return '';
    if (!undecided) return ', it matches';
    const refusals = await refusalsElsewhere(api, filter, one, options).catch(() => null);
    if (refusals === null) return ', it may match';
    return refusals.length === 0 ? ', it matches' : `, refused, ${refusals.join('; ')}`;
  };
  const lines = await Promise.all(
    items.map(async (one) => `${line(one)} (mailbox ${one.subdomain}${await verdict(one)})`),
  );
  return leftOut > 0 ? [...lines, `and ${leftOut} more`] : lines;
}

type Elsewhere = Diagnosis['elsewhere']['items'][number];

/** Applies the filters of the wait to a message of another mailbox. */
async function refusalsElsewhere(
  api: Api,
  filter: MessageFilter,
  { id, mailboxId, receivedAt }: Elsewhere,
  options: CallOptions,
): Promise<readonly string[]> {
  const detail = await api.getMessage(mailboxId, id, options);
  // The server has matched this part of a recipient with the envelope.
  const sentTo = new Set(typeof filter.to === 'string' ? [filter.to.toLowerCase()] : []);
  const arrival = {
    id,
    summary: { ...detail, attachmentCount: detail.attachments.length },
    receivedAt: Date.parse(receivedAt),
    firstSeenAt: 0,
    sentTo,
    detail: async () => detail,
  };
  return refusalsOf(arrival, filter, async () => createMessage(detail, api.local), 'every');
}

/**
 * Returns mail to unknown addresses. It comes to the seeded mailbox, which may be in another workspace than the handle.
 */
async function forNobody(
  { api, arrivals }: MailboxParts,
  startedAt: number,
  options: CallOptions,
): Promise<FoundMessage[]> {
  const { mailboxId } = await api.local.getInfo(options);
  if (mailboxId === arrivals.mailboxId) return [];
  const { items } = await api.local.searchMessages(mailboxId, { limit: MAX_LINES, total: false }, options);
  return items.filter(({ receivedAt }) => Date.parse(receivedAt) >= startedAt).reverse();
}

/**
 * Returns a line that says how a test receives mail to an unknown address, such as an address in the app's seed data.
 * The handle's own addresses are none.
 */
function claimLine(unknown: readonly FoundMessage[], { address: own, claimed }: Recipients): string[] {
  // People copy this line as code, and a stranger wrote the address, so only a plain address may go into it.
  const { to, kind } = unknown.at(-1) ?? { to: null, kind: 'email' };
  const pattern = kind === 'sms' ? /^\+\d{5,15}$/g : /(?<![^\s<,])[\w.+-]+@[\w.-]+(?![^\s>,])/g;
  const domain = own.slice(own.indexOf('@')).toLowerCase();
  const isOwn = (text: string) => text.toLowerCase().endsWith(domain) || claimed.includes(text.toLowerCase());
  const address = to?.match(pattern)?.find((one) => !isOwn(one));
  if (address === undefined) return [];
  return kind === 'sms'
    ? [`To receive the texts to ${address}, let the mailbox claim the number: { phones: ['${address}'] }.`]
    : [`To receive the mail to ${address}, let the mailbox claim the address: { addresses: ['${address}'] }.`];
}

/** The number of newest messages to look at. Most messages of other workspaces belong to other tests. */
const LOOKED_AT = 100;
const MAX_FOREIGN = 5;

/** Reports matching mail that went to a mailbox of another workspace, which the handle can't see. */
async function inOtherWorkspaces(
  { api, arrivals }: MailboxParts,
  { filter }: AskedWait<MessageFilter>,
  startedAt: number,
  told: ReadonlySet<string>,
  options: CallOptions,
): Promise<FoundMessage[]> {
  const own = await api.workspaceId();
  const { items } = await api.local.searchAllMessages(
    { limit: LOOKED_AT, query: bodyQuery(filter), total: false },
    options,
  );
  const fits = (name: 'subject' | 'from' | 'to', text: string | null) =>
    filter[name] === undefined || hasText([text], filter[name]);
  const found = items.filter(
    ({ id, workspaceId, mailboxId, receivedAt, subject, from, to }) =>
      workspaceId !== own &&
      mailboxId !== arrivals.mailboxId &&
      !told.has(id) &&
      Date.parse(receivedAt) >= startedAt &&
      fits('subject', subject) &&
      fits('from', from) &&
      fits('to', to),
  );
  return found.slice(0, MAX_FOREIGN).reverse();
}

/** Returns the search words for the filter of the body, if the server can apply it. */
function bodyQuery({ body }: MessageFilter): string | undefined {
  return typeof body === 'string' && body.trim() !== '' ? `body:"${body.replace(/["\\]/g, '\\$&')}"` : undefined;
}

interface SmtpReport {
  readonly lines: readonly string[];
  /** `true` if no SMTP client has connected since the handle was made, and no mail came to any mailbox. */
  readonly isSilent: boolean;
}

function smtpLines({ refusals, lastConnection }: Diagnosis, startedAt: number, hasCome: boolean): SmtpReport {
  const refused = refusals.items.map(
    ({ at, stage, reply, recipient, mailFrom }) =>
      `${at} at ${stage}: ${reply}${recipient === null ? '' : `, to ${recipient}`}${mailFrom === null ? '' : `, from ${mailFrom || '<>'}`}`,
  );
  const isBefore = lastConnection !== null && Date.parse(lastConnection.openedAt) < startedAt;
  const isSilent = !hasCome && refused.length === 0 && (lastConnection === null || isBefore);
  return {
    lines: [...section('SMTP refused:', refused), ...lastLine(lastConnection, isBefore, hasCome)],
    isSilent,
  };
}

function lastLine(last: Diagnosis['lastConnection'], isBefore: boolean, hasCome: boolean): string[] {
  // The server does not report connections of other workspaces, so a later connection may have brought the listed mail.
  if (isBefore && hasCome) return [];
  if (last !== null) {
    const before = isBefore ? ', before the handle was made,' : '';
    return [
      `The last SMTP connection came at ${last.openedAt}${before} from ${last.clientAddress}: ${connectionSays(last)}.`,
    ];
  }
  // The connection that brought the mail may be older than the sessions that the server still lists.
  return hasCome ? [] : [NO_CLIENT];
}

/** Returns a hint for an app that sends to another server or does not send at all. */
async function whereToSend({ api }: MailboxParts, options: CallOptions): Promise<string> {
  const info = await api.local.getInfo(options).catch(() => null);
  return info === null
    ? 'Does the app send to this server? Set MAILCAP_SMTP_URL to its SMTP address before the app starts.'
    : `Does the app send to ${info.smtpUrl}? This server receives mail there. Set MAILCAP_SMTP_URL before the app starts.`;
}

function connectionSays(connection: NonNullable<Diagnosis['lastConnection']>): string {
  const { accepted, reached, tls, lastRefusal } = connection;
  const missed = saidMissedTls(connection);
  const mails = accepted === 1 ? '1 mail was accepted' : `${accepted} mails were accepted`;
  const how = [
    mails,
    ...(accepted === 0 ? [reached === null ? 'it only connected' : `it got as far as ${reached}`] : []),
    ...(tls === 'asked' ? ['it asked for TLS and then stopped, probably because it refuses the certificate'] : []),
    ...(missed === '' ? [] : [missed]),
    ...(lastRefusal === null ? [] : [`it was last refused with ${lastRefusal}`]),
  ];
  return how.join(', ');
}

function section(title: string, lines: readonly string[], otherwise?: string): string[] {
  if (lines.length === 0) return otherwise === undefined ? [] : [otherwise];
  const shown = lines.slice(-MAX_LINES).map((one) => `  ${one}`);
  const left = lines.length - shown.length;
  return [title, ...(left > 0 ? [`  ${left} before these`] : []), ...shown];
}

function cut(text: string, most = 80): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), most);
}
