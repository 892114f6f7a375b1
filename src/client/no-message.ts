import type { Arrival } from './arrivals.ts';
import type { CallOptions } from './deadline.ts';
import { WaitTimeoutError } from './errors.ts';
import type { Diagnosis } from './local-resources.ts';
import type { MailboxParts } from './mailbox.ts';
import type { Message } from './message.ts';
import { isEmpty, type MessageFilter, refusalsOf, writeFilter } from './message-filter.ts';
import { Sent } from './sent.ts';
import { PASSED_OVER } from './wait.ts';

export interface Missed {
  readonly name: string;
  readonly count: number;
  readonly filter: MessageFilter;
  readonly timeoutMs: number;
  readonly load: (arrival: Arrival, options: CallOptions) => Promise<Message | null>;
}

const MAX_LINES = 10;

/** Why a wait ended without its message: what came and what refused it, what went elsewhere, what SMTP had to say, where to look. */
export async function noMessage(parts: MailboxParts, missed: Missed, options: CallOptions): Promise<WaitTimeoutError> {
  const { arrivals, recipients } = parts;
  const own: string[] = [];
  const others: string[] = [];
  for (const arrival of arrivals.entries()) {
    if (await Sent.of(parts.client).has(arrival.id)) continue;
    if (await recipients.isFor(arrival, options)) own.push(await ownLine(parts, missed, arrival, options));
    else others.push(line(arrival.summary));
  }
  const diagnosis = await diagnose(parts, missed.filter, options);
  const { count, filter, timeoutMs, name } = missed;
  const wanted = count === 1 ? 'No message' : `Fewer than ${count} messages`;
  const sections = [
    `${wanted} to ${recipients.address} within ${timeoutMs} ms${isEmpty(filter) ? '' : ` matched ${writeFilter(filter)}`} (${name}).`,
    ...section('Since the handle was made it got:', own, 'Since the handle was made it got nothing.'),
    ...section('To other addresses came:', [
      ...others,
      ...elsewhereLines(diagnosis),
      ...(await forNobody(parts, diagnosis, options)),
    ]),
    ...(diagnosis === null ? [] : smtpLines(diagnosis)),
  ];
  return new WaitTimeoutError('no_message', sections.join('\n'), { hint: await whereToLook(parts) });
}

async function ownLine(
  { arrivals }: MailboxParts,
  { filter, load }: Missed,
  arrival: Arrival,
  options: CallOptions,
): Promise<string> {
  if (arrivals.passedOver.has(arrival.id)) return `${line(arrival.summary)}: ${PASSED_OVER}`;
  if (arrivals.returned.has(arrival.id)) return `${line(arrival.summary)}: an earlier wait returned it`;
  const refusals = await refusalsOf(arrival, filter, (o) => load(arrival, o), options, 'every');
  const reasons = refusals.map(({ reason }) => reason).join('; ');
  return `${line(arrival.summary)}: ${reasons === '' ? 'it matches' : `refused, ${reasons}`}`;
}

/** From the local API, where there is one that knows. A report is not to fail for want of it. */
async function diagnose(
  { client, arrivals, recipients }: MailboxParts,
  filter: MessageFilter,
  options: CallOptions,
): Promise<Diagnosis | null> {
  try {
    if (!(await client.hasLocalApi())) return null;
    const text = (one: string | RegExp | undefined) => (typeof one === 'string' ? one : undefined);
    const asked = {
      subject: text(filter.subject),
      from: text(filter.from),
      to: recipients.part ?? text(filter.to),
      since: new Date(arrivals.startedAt),
    };
    return await client.local.diagnose(arrivals.mailboxId, asked, options);
  } catch {
    return null;
  }
}

function elsewhereLines(diagnosis: Diagnosis | null): string[] {
  if (diagnosis === null) return [];
  const { items, leftOut } = diagnosis.elsewhere;
  const lines = items.map((one) => `${line(one)} (mailbox ${one.subdomain}${one.matches ? ', it matches' : ''})`);
  return leftOut > 0 ? [...lines, `and ${leftOut} more`] : lines;
}

/** Mail for nobody's mailbox is in the seeded one, whose workspace need not be the handle's. */
async function forNobody(
  { client, arrivals }: MailboxParts,
  diagnosis: Diagnosis | null,
  options: CallOptions,
): Promise<string[]> {
  if (diagnosis === null) return [];
  try {
    const { mailboxId } = await client.local.info(options);
    const told = new Set(diagnosis.elsewhere.items.map(({ id }) => id));
    if (mailboxId === arrivals.mailboxId) return [];
    const { items: newest } = await client.local.searchMessages(mailboxId, { limit: MAX_LINES }, options);
    return newest
      .filter(({ id, receivedAt }) => !told.has(id) && Date.parse(receivedAt) >= arrivals.startedAt)
      .reverse()
      .map((one) => `${line(one)} (the inbox, which takes mail for nobody's mailbox)`);
  } catch {
    return [];
  }
}

function smtpLines({ refusals, lastConnection }: Diagnosis): string[] {
  const refused = refusals.items.map(
    ({ at, stage, reply, recipient, mailFrom }) =>
      `${at} at ${stage}: ${reply}${recipient === null ? '' : `, to ${recipient}`}${mailFrom === null ? '' : `, from ${mailFrom || '<>'}`}`,
  );
  const last =
    lastConnection === null
      ? 'No SMTP client has connected since the server started: does the app send to this server?'
      : `The last SMTP connection came at ${lastConnection.openedAt} from ${lastConnection.clientAddress}: ${connectionSays(lastConnection)}.`;
  return [...section('SMTP refused:', refused), last];
}

function connectionSays(connection: NonNullable<Diagnosis['lastConnection']>): string {
  const { accepted, reached, tls, lastRefusal } = connection;
  const mails = accepted === 1 ? '1 mail was accepted' : `${accepted} mails were accepted`;
  const how = [
    mails,
    ...(accepted === 0 ? [reached === null ? 'it got no further than connecting' : `it got as far as ${reached}`] : []),
    ...(tls === 'asked' ? ['it asked for TLS and did not go on, as one does that refuses the certificate'] : []),
    ...(lastRefusal === null ? [] : [`it was last refused with ${lastRefusal}`]),
  ];
  return how.join(', ');
}

async function whereToLook({ client, arrivals }: MailboxParts): Promise<string> {
  const { url } = await client.server();
  const { mailboxId } = arrivals;
  return `Look at ${url}/v1/mailboxes/${mailboxId}/messages, or client.listMessages('${mailboxId}').`;
}

function section(title: string, lines: readonly string[], otherwise?: string): string[] {
  if (lines.length === 0) return otherwise === undefined ? [] : [otherwise];
  const shown = lines.slice(-MAX_LINES).map((one) => `  ${one}`);
  const left = lines.length - shown.length;
  return [title, ...(left > 0 ? [`  ${left} before these`] : []), ...shown];
}

function line(message: {
  readonly receivedAt: string;
  readonly subject: string | null;
  readonly from: string | null;
  readonly to: string | null;
}): string {
  const { receivedAt, subject, from, to } = message;
  return `${receivedAt} "${cut(subject ?? '')}" from ${cut(from ?? 'nobody')} to ${cut(to ?? 'nobody')}`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
