import { distinctAddresses } from '../../domain/address-list.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import {
  addedHeaders,
  type FileForm,
  filesIn,
  lineIn,
  linesIn,
  objectIn,
  optionalText,
  peopleIn,
  personIn,
} from '../parts.ts';
import { type AskedMail, canWait } from '../send.ts';
import { oneLine, orRefuse, renderTemplate } from '../templates.ts';
import { refuseBrevo, refuseBrevoField } from './errors.ts';

// The body of `POST /v3/smtp/email`, checked as Brevo checks it.

/** The recipients of a version, and of a request, at most. */
const MOST_OF_VERSION = 99;
const MOST_OF_REQUEST = 2_000;
/** Brevo schedules up to three days ahead. */
const LONGEST_MS = 72 * 3_600_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'name', type: null, contentId: [], disposition: null },
  mostBytes: 15 * 1024 * 1024,
};

/** Reads the mails of a request: one, or one for each of its versions. Throws a refusal of Brevo. */
export function brevoMails(
  call: DoorCall,
  given: JsonObject,
  template: ProviderRecord | null,
  now: number,
): AskedMail[] {
  const versions = fieldOf(given, 'messageVersions');
  if (isMissing(versions)) return [mailOf(call, given, given, template, now)];
  if (!Array.isArray(versions) || versions.length === 0) throw refuseBrevoField('messageVersions', 'list');
  const mails = versions.map((one: unknown, index) => {
    const version = objectOf(one);
    if (version === null) throw refuseBrevoField(`messageVersions.${index}`, 'object');
    return mailOf(call, { ...given, ...version }, given, template, now);
  });
  if (mails.reduce((sum, { mail }) => sum + mail.recipients.length, 0) > MOST_OF_REQUEST)
    throw refuseBrevoField('messageVersions', 'too_many');
  return mails;
}

/** Reads a mail. `given` has the fields of a version in place of the request's own; `whole` is the request. */
function mailOf(
  call: DoorCall,
  given: JsonObject,
  whole: JsonObject,
  template: ProviderRecord | null,
  now: number,
): AskedMail {
  const sender = fieldOf(given, 'sender') ?? template?.data['sender'];
  if (isMissing(sender)) throw refuseBrevoField('sender', 'missing');
  if (!isMissing(fieldOf(objectOf(sender) ?? {}, 'id')))
    throw refuseBrevo('mailcap keeps no senders: give the email of the sender instead of its id');
  const from = personIn(sender, 'sender', refuseBrevoField);
  if (from === null) throw refuseBrevoField('sender', 'missing');
  const [to, cc, bcc] = (['to', 'cc', 'bcc'] as const).map((name) =>
    peopleIn(fieldOf(given, name), name, refuseBrevoField, MOST_OF_VERSION),
  );
  if (to === undefined || cc === undefined || bcc === undefined || to.length === 0)
    throw refuseBrevoField('to', 'missing');
  const recipients = distinctAddresses([...to, ...cc, ...bcc]);
  if (recipients.length > MOST_OF_VERSION) throw refuseBrevoField('to', 'too_many');
  const replyTo = personIn(fieldOf(given, 'replyTo'), 'replyTo', refuseBrevoField);
  const content = contentOf(call, given, whole, template, to[0]?.address ?? '');
  const tags = linesIn(given, 'tags', refuseBrevoField, 50);
  const { headers, messageId } = addedHeaders(fieldOf(given, 'headers'), 'headers', refuseBrevoField);
  const id = newUlid(call);
  const mail = {
    id,
    messageId: messageId ?? `<${id.toLowerCase()}@smtp-relay.mailin.fr>`,
    ...{ from, to, cc, ...content, recipients },
    replyTo: replyTo === null ? [] : [replyTo],
    attachments: attachmentsIn(fieldOf(given, 'attachment')),
    // Tags are in the mail, so that searches find them.
    headers: [...headers, ...tags.map((tag) => ['X-Mailin-Tag', tag] as const)],
    mailFrom: from.address,
  };
  const dueAt = dueTime(optionalText(given, 'scheduledAt', refuseBrevoField), now);
  if (dueAt !== undefined && !canWait(mail))
    throw refuseBrevo('mailcap schedules mails up to 256 KB: this one is larger');
  const batchId = optionalText(given, 'batchId', refuseBrevoField)?.slice(0, 100) ?? null;
  const custom = fieldOf(objectOf(fieldOf(given, 'headers')) ?? {}, 'X-Mailin-custom') ?? null;
  const templateId = fieldOf(given, 'templateId') ?? null;
  return { mail, dueAt, fields: { from: from.address, subject: content.subject, tags, batchId, custom, templateId } };
}

/** The content of a template counts if there is one; `{{ params.name }}` is merged in either. */
function contentOf(
  call: DoorCall,
  given: JsonObject,
  whole: JsonObject,
  template: ProviderRecord | null,
  email: string,
) {
  const params = { ...objectIn(whole, 'params', refuseBrevoField), ...objectIn(given, 'params', refuseBrevoField) };
  const own = (name: string) => optionalText(given, name, refuseBrevoField) || null;
  const stored = (name: string) =>
    isText(template?.data[name]) && template.data[name] !== '' ? template.data[name] : null;
  const subject = lineIn(given, 'subject', refuseBrevoField) || stored('subject');
  const html = template === null ? own('htmlContent') : stored('htmlContent');
  const text = template === null ? own('textContent') : null;
  if (subject === null) throw refuseBrevoField('subject', 'missing');
  if (html === null && text === null) throw refuseBrevoField('htmlContent', 'missing');
  if (template === null && isMissing(fieldOf(given, 'params'))) return { subject, html, text };
  const data = { params, contact: { EMAIL: email } };
  const merged = (part: string | null, escapes: boolean) =>
    part === null ? null : mergedWith(call, part, data, escapes);
  return { subject: oneLine(merged(subject, false) ?? ''), html: merged(html, true), text: merged(text, false) };
}

function mergedWith(call: DoorCall, part: string, data: unknown, escapes: boolean): string {
  checkLanguage(part);
  return orRefuse(() => renderTemplate(part, data, { missing: 'empty', escapes }, call), refuseBrevo);
}

/** Refuses the statements of Brevo's template language: mailcap merges its variables alone. */
export function checkLanguage(text: string): void {
  if (text.includes('{%')) throw refuseBrevo('mailcap merges {{ params.name }} alone, and no {% … %}');
}

function attachmentsIn(value: unknown) {
  if (Array.isArray(value) && value.some((one) => !isMissing(fieldOf(objectOf(one) ?? {}, 'url'))))
    throw refuseBrevo('mailcap fetches no file from a URL: send the content of the attachment');
  return filesIn(value, 'attachment', FILES, refuseBrevoField);
}

function dueTime(text: string | null, now: number): number | undefined {
  if (text === null || text === '') return undefined;
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && text.length <= 40 ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw refuseBrevo('scheduledAt is not a date-time of the form YYYY-MM-DDTHH:mm:ss.SSSZ');
  if (time > now + LONGEST_MS) throw refuseBrevo('scheduledAt is more than 72 hours ahead');
  return time <= now ? undefined : time;
}
