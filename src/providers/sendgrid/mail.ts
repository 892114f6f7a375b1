import { comparableAddress } from '../../domain/address.ts';
import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import type { MailFile, ProviderRecord } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { fieldOf, isHeaderText, isMissing, isText, type JsonObject, mediaTypeIn, objectOf } from '../fields.ts';
import { addedHeaders, type FileForm, filesIn, peopleIn, personIn, WRONG } from '../parts.ts';
import { type AskedMail, canWait } from '../send.ts';
import { oneLine, orRefuse, renderTemplate, replaceTexts } from '../templates.ts';
import { refuseSendgrid, refuseSendgridField } from './errors.ts';

// The body of `POST /v3/mail/send`, checked as SendGrid checks it.

/** The personalizations of a request, and its recipients, at most. */
const MOST = 1_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: 'type', contentId: ['content_id'], disposition: 'disposition' },
  // 30 MB after base64.
  mostBytes: 22 * 1024 * 1024,
};
/** SendGrid schedules up to 72 hours ahead. */
const LONGEST_MS = 72 * 3_600_000;

/** The parts of a mail that all personalizations share. */
interface Common {
  readonly from: ListedAddress;
  readonly replyTo: readonly ListedAddress[];
  readonly subject: unknown;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly MailFile[];
  readonly headers: unknown;
  readonly categories: readonly string[];
  readonly customArgs: JsonObject;
  readonly sendAt: unknown;
  readonly batchId: string | null;
}

/**
 * Reads the mails of a request: one for each personalization. `template` is the template that the request names. Throws a
 * refusal of SendGrid.
 */
export function sendgridMails(
  call: DoorCall,
  given: JsonObject,
  template: ProviderRecord | null,
  now: number,
): AskedMail[] {
  const personalizations = fieldOf(given, 'personalizations');
  if (!Array.isArray(personalizations) || personalizations.length === 0)
    throw refuseSendgrid(
      'The personalizations field is required and must have at least one personalization.',
      'personalizations',
    );
  if (personalizations.length > MOST)
    throw refuseSendgrid(`The personalizations field has more than ${MOST} personalizations.`, 'personalizations');
  const common = commonIn(given, template !== null);
  const mails = personalizations.map((one: unknown, index) => {
    const part = objectOf(one);
    if (part === null) throw refuseSendgrid('A personalization must be an object.', `personalizations.${index}`);
    return mailOf(call, common, part, `personalizations.${index}`, template, now);
  });
  if (mails.reduce((sum, { mail }) => sum + mail.recipients.length, 0) > MOST)
    throw refuseSendgrid(`There are more than ${MOST} recipients.`, 'personalizations');
  return mails;
}

function commonIn(given: JsonObject, hasTemplate: boolean): Common {
  const from = personIn(fieldOf(given, 'from'), 'from', refuseSendgridField);
  if (from === null)
    throw refuseSendgrid(
      'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
      'from',
    );
  const one = personIn(fieldOf(given, 'reply_to'), 'reply_to', refuseSendgridField);
  const list = fieldOf(given, 'reply_to_list');
  const replyTo = one === null ? peopleIn(list, 'reply_to_list', refuseSendgridField) : [one];
  const { text, html } = contentIn(fieldOf(given, 'content'), hasTemplate);
  const categories = fieldOf(given, 'categories') ?? [];
  const isCategory = (part: unknown) => isText(part) && part.length <= 255 && isHeaderText(part);
  if (!Array.isArray(categories) || categories.length > 10 || !categories.every(isCategory))
    throw refuseSendgrid('The categories field is an array of at most 10 texts of 255 characters.', 'categories');
  const batchId = fieldOf(given, 'batch_id');
  return {
    ...{ from, replyTo, text, html, categories },
    subject: fieldOf(given, 'subject'),
    attachments: filesIn(fieldOf(given, 'attachments'), 'attachments', FILES, refuseSendgridField),
    headers: fieldOf(given, 'headers'),
    customArgs: argsIn(fieldOf(given, 'custom_args'), 'custom_args'),
    sendAt: fieldOf(given, 'send_at'),
    batchId: isText(batchId) && batchId !== '' ? batchId.slice(0, 100) : null,
  };
}

function mailOf(
  call: DoorCall,
  common: Common,
  given: JsonObject,
  place: string,
  template: ProviderRecord | null,
  now: number,
): AskedMail {
  const [to, cc, bcc] = ['to', 'cc', 'bcc'].map((name) =>
    peopleIn(fieldOf(given, name), `${place}.${name}`, refuseSendgridField, MOST),
  );
  if (to === undefined || cc === undefined || bcc === undefined || to.length === 0)
    throw refuseSendgrid(
      'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
      `${place}.to`,
    );
  checkUnique([...to, ...cc, ...bcc], place);
  const from = personIn(fieldOf(given, 'from'), `${place}.from`, refuseSendgridField) ?? common.from;
  const customArgs = { ...common.customArgs, ...argsIn(fieldOf(given, 'custom_args'), `${place}.custom_args`) };
  const { subject, text, html } = contentOf(call, common, given, place, template);
  const id = newUlid(call);
  const givenHeaders = {
    ...argsIn(common.headers, 'headers'),
    ...argsIn(fieldOf(given, 'headers'), `${place}.headers`),
  };
  const read = addedHeaders(givenHeaders, 'headers', (field, wrong) =>
    refuseSendgrid(`The ${field} ${WRONG[wrong]}.`, `${place}.headers`),
  );
  const args = Object.entries(customArgs).map(([name, value]) => `${name}=${String(value)}`);
  if (!args.every(isHeaderText))
    throw refuseSendgrid('The custom_args field holds a line break.', `${place}.custom_args`);
  const mail = {
    id,
    messageId: read.messageId ?? `<${id}@geopod-ismtpd-mailcap>`,
    ...{ from, to, cc, subject, text, html, replyTo: common.replyTo, attachments: common.attachments },
    // Categories and arguments are in the mail, so that searches find them.
    headers: [
      ...read.headers,
      ...common.categories.map((one) => ['X-SG-Category', one] as const),
      ...args.map((one) => ['X-SG-Custom-Arg', one] as const),
    ],
    mailFrom: from.address,
    recipients: distinctAddresses([...to, ...cc, ...bcc]),
  };
  const dueAt = dueTime(fieldOf(given, 'send_at') ?? common.sendAt, `${place}.send_at`, now);
  if (dueAt !== undefined && !canWait(mail))
    throw refuseSendgrid('mailcap schedules mails up to 256 KB: this one is larger.', `${place}.send_at`);
  const { categories, batchId } = common;
  return { mail, dueAt, fields: { customArgs, categories, batchId, from: from.address, subject } };
}

function contentOf(call: DoorCall, common: Common, given: JsonObject, place: string, template: ProviderRecord | null) {
  const own = fieldOf(given, 'subject');
  const subject = isMissing(own) ? common.subject : own;
  if (template !== null) {
    const data = fieldOf(given, 'dynamic_template_data') ?? {};
    if (objectOf(data) === null)
      throw refuseSendgrid('The dynamic_template_data field must be an object.', `${place}.dynamic_template_data`);
    const render = (part: string, escapes: boolean) => rendered(call, template.data[part], data, escapes, place);
    return {
      subject: checkedSubject(oneLine(render('subject', false) ?? '') || subject, place),
      html: render('html_content', true),
      text: render('plain_content', false),
    };
  }
  const substitutions = argsIn(fieldOf(given, 'substitutions'), `${place}.substitutions`);
  const values = Object.entries(substitutions).map(([key, value]) => [key, String(value)] as const);
  const refuse = (reason: string) => refuseSendgrid(reason, `${place}.substitutions`);
  const replace = (text: string | null) =>
    text === null || values.length === 0 ? text : orRefuse(() => replaceTexts(text, values, call), refuse);
  return { subject: replace(checkedSubject(subject, place)), text: replace(common.text), html: replace(common.html) };
}

function checkedSubject(subject: unknown, place: string): string {
  if (!isText(subject) || subject === '')
    throw refuseSendgrid(
      'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
      'subject',
    );
  if (!isHeaderText(subject)) throw refuseSendgrid('The subject holds a line break.', `${place}.subject`);
  return subject;
}

function rendered(call: DoorCall, template: unknown, data: unknown, escapes: boolean, place: string): string | null {
  if (!isText(template) || template === '') return null;
  const refuse = (reason: string) => refuseSendgrid(reason, `${place}.dynamic_template_data`);
  return orRefuse(() => renderTemplate(template, data, { missing: 'empty', escapes }, call), refuse);
}

function contentIn(value: unknown, hasTemplate: boolean): { text: string | null; html: string | null } {
  if (isMissing(value) && hasTemplate) return { text: null, html: null };
  if (!Array.isArray(value) || value.length === 0)
    throw refuseSendgrid(
      'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block.',
      'content',
    );
  const content = { text: null as string | null, html: null as string | null };
  for (const [index, one] of value.entries()) {
    const part = objectOf(one) ?? {};
    const [type, text] = [mediaTypeIn(fieldOf(part, 'type')), fieldOf(part, 'value')];
    if (!isText(text) || text === '')
      throw refuseSendgrid(
        'The content value must be a string at least one character in length.',
        `content.${index}.value`,
      );
    if (type === 'text/plain' && content.text === null && content.html === null) content.text = text;
    else if (type === 'text/html' && content.html === null) content.html = text;
    else if (type === 'text/plain' || type === 'text/html')
      throw refuseSendgrid(
        'If present, text/plain and text/html may only be provided once, and text/plain must be first.',
        `content.${index}.type`,
      );
    else throw refuseSendgrid('mailcap takes the content types text/plain and text/html.', `content.${index}.type`);
  }
  return content;
}

function checkUnique(addresses: readonly ListedAddress[], place: string): void {
  const seen = new Set<string>();
  for (const { address } of addresses) {
    const key = comparableAddress(address);
    if (seen.has(key))
      throw refuseSendgrid(
        `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${address}] in the ${place} field.`,
        place,
      );
    seen.add(key);
  }
}

function argsIn(value: unknown, field: string): JsonObject {
  const given = isMissing(value) ? {} : objectOf(value);
  if (given === null || JSON.stringify(given).length > 10_000)
    throw refuseSendgrid('Must be an object of at most 10,000 bytes.', field);
  return given;
}

function dueTime(value: unknown, field: string, now: number): number | undefined {
  if (isMissing(value)) return undefined;
  const time = Number(value) * 1_000;
  if (!Number.isSafeInteger(time) || time <= 0)
    throw refuseSendgrid('The send_at parameter must be a Unix timestamp.', field);
  if (time > now + LONGEST_MS) throw refuseSendgrid('Scheduling more than 72 hours in advance is forbidden.', field);
  return time <= now ? undefined : time;
}
