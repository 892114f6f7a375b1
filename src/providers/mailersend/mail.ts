import { comparableAddress } from '../../domain/address.ts';
import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import { type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { fieldOf, isHeaderText, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { addedHeaders, type FileForm, filesIn, lineIn, linesIn, optionalText, peopleIn, personIn } from '../parts.ts';
import { type AskedMail, canWait } from '../send.ts';
import { oneLine, orRefuse, renderTemplate } from '../templates.ts';
import { refuseMailersend, refuseMailersendField } from './errors.ts';

// The body of `POST /v1/email`, checked as MailerSend checks it.

/** The recipients in To, and in each of Cc and Bcc, at most. */
const MOST_TO = 50;
const MOST_COPIES = 10;
/** MailerSend schedules up to three days ahead. */
const LONGEST_MS = 72 * 3_600_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: null, contentId: ['id'], disposition: 'disposition' },
  mostBytes: 25 * 1024 * 1024,
};

/** Reads the mails of a request: one, or with personalization one for each of `to`. Throws a refusal of MailerSend. */
export function mailersendMails(
  call: DoorCall,
  given: JsonObject,
  template: ProviderRecord | null,
  now: number,
): AskedMail[] {
  const from = personIn(fieldOf(given, 'from'), 'from', refuseMailersendField);
  if (from === null) throw refuseMailersendField('from.email', 'missing');
  const to = peopleIn(fieldOf(given, 'to'), 'to', refuseMailersendField, MOST_TO);
  const cc = peopleIn(fieldOf(given, 'cc'), 'cc', refuseMailersendField, MOST_COPIES);
  const bcc = peopleIn(fieldOf(given, 'bcc'), 'bcc', refuseMailersendField, MOST_COPIES);
  if (to.length === 0) throw refuseMailersendField('to', 'missing');
  const replyTo = personIn(fieldOf(given, 'reply_to'), 'reply_to', refuseMailersendField);
  const tags = linesIn(given, 'tags', refuseMailersendField, 5, 191);
  const read = addedHeaders(fieldOf(given, 'headers'), 'headers', refuseMailersendField);
  const attachments = filesIn(fieldOf(given, 'attachments'), 'attachments', FILES, refuseMailersendField);
  const headers = [...read.headers, ...tagHeaders(tags), ...threadHeaders(given)];
  const dueAt = dueTime(fieldOf(given, 'send_at'), now);
  const values = personalizationIn(fieldOf(given, 'personalization'));
  const content = contentIn(given, template);
  const build = (recipients: readonly ListedAddress[], data: JsonObject | null): AskedMail => {
    const id = uuid7Of(newUlid(call)).replaceAll('-', '');
    const made = data === null ? content : merged(call, content, data);
    const mail = {
      id,
      messageId: read.messageId ?? `<${id}@mailersend.net>`,
      ...{ from, cc, headers, attachments, ...made, to: [...recipients] },
      replyTo: replyTo === null ? [] : [replyTo],
      mailFrom: from.address,
      recipients: distinctAddresses([...recipients, ...cc, ...bcc]),
    };
    if (dueAt !== undefined && !canWait(mail))
      throw refuseMailersend('send_at', 'mailcap schedules mails up to 256 KB: this one is larger.');
    return { mail, dueAt, fields: { from: from.address, subject: made.subject, tags } };
  };
  if (values === null) return [build(to, template === null ? null : {})];
  return to.map((one) => build([one], values.get(comparableAddress(one.address)) ?? {}));
}

function tagHeaders(tags: readonly string[]) {
  return tags.map((tag) => ['X-MailerSend-Tag', tag] as const);
}

function threadHeaders(given: JsonObject): (readonly [string, string])[] {
  const inReplyTo = lineIn(given, 'in_reply_to', refuseMailersendField);
  const references = linesIn(given, 'references', refuseMailersendField, 50).join(' ');
  const unsubscribe = lineIn(given, 'list_unsubscribe', refuseMailersendField);
  return [
    ...(inReplyTo ? [['In-Reply-To', inReplyTo] as const] : []),
    ...(references === '' ? [] : [['References', references] as const]),
    ...(unsubscribe ? [['List-Unsubscribe', unsubscribe] as const] : []),
    ...(fieldOf(given, 'precedence_bulk') === true ? [['Precedence', 'bulk'] as const] : []),
  ];
}

interface Content {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

function contentIn(given: JsonObject, template: ProviderRecord | null): Content {
  const subject = lineIn(given, 'subject', refuseMailersendField, 998) || template?.data['name'];
  if (!isText(subject) || subject === '') throw refuseMailersendField('subject', 'missing');
  const stored = (name: string) =>
    isText(template?.data[name]) && template.data[name] !== '' ? template.data[name] : null;
  const html = stored('html') ?? (optionalText(given, 'html', refuseMailersendField) || null);
  const text = stored('text') ?? (optionalText(given, 'text', refuseMailersendField) || null);
  if (html === null && text === null)
    throw refuseMailersend('text', 'The text field is required when none of template id / html are present.');
  return { subject, html, text };
}

/** Puts the data of a recipient in the place of `{{ name }}`. */
function merged(call: DoorCall, { subject, html, text }: Content, data: JsonObject): Content {
  const render = (part: string, escapes: boolean) =>
    orRefuse(
      () => renderTemplate(part, data, { missing: 'empty', escapes }, call),
      (reason) => refuseMailersend('personalization', reason),
    );
  return {
    subject: oneLine(render(subject, false)),
    html: html === null ? null : render(html, true),
    text: text === null ? null : render(text, false),
  };
}

/** Returns the data of recipients by their addresses; null if there is none. */
function personalizationIn(value: unknown): ReadonlyMap<string, JsonObject> | null {
  if (isMissing(value) || (Array.isArray(value) && value.length === 0)) return null;
  if (!Array.isArray(value)) throw refuseMailersendField('personalization', 'list');
  if (JSON.stringify(value).length > 1_000_000) throw refuseMailersendField('personalization', 'too_large');
  return new Map(
    value.map((one: unknown, index) => {
      const given = objectOf(one) ?? {};
      const [email, data] = [fieldOf(given, 'email'), objectOf(fieldOf(given, 'data'))];
      if (!isText(email) || !isHeaderText(email))
        throw refuseMailersendField(`personalization.${index}.email`, 'address');
      if (data === null) throw refuseMailersendField(`personalization.${index}.data`, 'object');
      return [comparableAddress(email), data];
    }),
  );
}

function dueTime(value: unknown, now: number): number | undefined {
  if (isMissing(value)) return undefined;
  const time = Number(value) * 1_000;
  if (!Number.isSafeInteger(time) || time <= 0 || time > now + LONGEST_MS)
    throw refuseMailersend('send_at', 'The send_at must be a Unix timestamp within the next 72 hours.');
  return time <= now ? undefined : time;
}
