import { comparableAddress } from '../../domain/address.ts';
import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import type { MailFile, ProviderRecord } from '../../domain/provider.ts';
import { realTime } from '../../ports/system.ts';
import type { DoorCall } from '../door.ts';
import {
  base64In,
  customHeaders,
  fieldOf,
  filenameIn,
  isHeaderText,
  isMissing,
  isText,
  type JsonObject,
  mediaTypeIn,
  namedAddress,
  objectOf,
} from '../fields.ts';
import { type AskedMail, canWait } from '../send.ts';
import { oneLine, renderTemplate, TemplateError } from '../templates.ts';
import { refuseField } from './errors.ts';

// The body of `POST /v3/mail/send`, checked as SendGrid checks it.

/** The personalizations of a request, and its recipients, at most. */
const MOST = 1_000;
/** The bytes of all files, at most: 30 MB after base64. */
const MOST_FILE_BYTES = 22 * 1024 * 1024;
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
    throw refuseField(
      'The personalizations field is required and must have at least one personalization.',
      'personalizations',
    );
  if (personalizations.length > MOST)
    throw refuseField(`The personalizations field has more than ${MOST} personalizations.`, 'personalizations');
  const common = commonIn(given, template !== null);
  const mails = personalizations.map((one: unknown, index) => {
    const part = objectOf(one);
    if (part === null) throw refuseField('A personalization must be an object.', `personalizations.${index}`);
    return mailOf(call, common, part, `personalizations.${index}`, template, now);
  });
  if (mails.reduce((sum, { mail }) => sum + mail.recipients.length, 0) > MOST)
    throw refuseField(`There are more than ${MOST} recipients.`, 'personalizations');
  return mails;
}

function commonIn(given: JsonObject, hasTemplate: boolean): Common {
  const from = addressOf(fieldOf(given, 'from'), 'from.email');
  if (from === null)
    throw refuseField(
      'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
      'from',
    );
  const one = addressOf(fieldOf(given, 'reply_to'), 'reply_to.email');
  const list = fieldOf(given, 'reply_to_list');
  const replyTo = one === null ? addressesOf(list, 'reply_to_list') : [one];
  const { text, html } = contentIn(fieldOf(given, 'content'), hasTemplate);
  const categories = fieldOf(given, 'categories') ?? [];
  const isCategory = (part: unknown) => isText(part) && part.length <= 255 && isHeaderText(part);
  if (!Array.isArray(categories) || categories.length > 10 || !categories.every(isCategory))
    throw refuseField('The categories field is an array of at most 10 texts of 255 characters.', 'categories');
  const batchId = fieldOf(given, 'batch_id');
  return {
    ...{ from, replyTo, text, html, categories },
    subject: fieldOf(given, 'subject'),
    attachments: filesIn(fieldOf(given, 'attachments')),
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
  const { ctx } = call;
  const [to, cc, bcc] = ['to', 'cc', 'bcc'].map((name) => addressesOf(fieldOf(given, name), `${place}.${name}`));
  if (to === undefined || cc === undefined || bcc === undefined || to.length === 0)
    throw refuseField(
      'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
      `${place}.to`,
    );
  checkUnique([...to, ...cc, ...bcc], place);
  const from = addressOf(fieldOf(given, 'from'), `${place}.from.email`) ?? common.from;
  const customArgs = { ...common.customArgs, ...argsIn(fieldOf(given, 'custom_args'), `${place}.custom_args`) };
  const { subject, text, html } = contentOf(common, given, place, template);
  const id: string = ctx.ids.next(realTime(ctx.clock));
  const givenHeaders = {
    ...argsIn(common.headers, 'headers'),
    ...argsIn(fieldOf(given, 'headers'), `${place}.headers`),
  };
  const read = customHeaders(Object.entries(givenHeaders));
  if ('refused' in read)
    throw refuseField(
      `The header ${JSON.stringify(read.refused.slice(0, 80))} is reserved or not valid.`,
      `${place}.headers`,
    );
  const args = Object.entries(customArgs).map(([name, value]) => `${name}=${String(value)}`);
  if (!args.every(isHeaderText)) throw refuseField('The custom_args field holds a line break.', `${place}.custom_args`);
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
    throw refuseField('mailcap schedules mails up to 256 KB: this one is larger.', `${place}.send_at`);
  const { categories, batchId } = common;
  return { mail, dueAt, fields: { customArgs, categories, batchId, from: from.address, subject } };
}

function contentOf(common: Common, given: JsonObject, place: string, template: ProviderRecord | null) {
  const own = fieldOf(given, 'subject');
  const subject = isMissing(own) ? common.subject : own;
  if (template !== null) {
    const data = fieldOf(given, 'dynamic_template_data') ?? {};
    if (objectOf(data) === null)
      throw refuseField('The dynamic_template_data field must be an object.', `${place}.dynamic_template_data`);
    const render = (part: string, escapes: boolean) => rendered(template.data[part], data, escapes, place);
    return {
      subject: checkedSubject(oneLine(render('subject', false) ?? '') || subject, place),
      html: render('html_content', true),
      text: render('plain_content', false),
    };
  }
  const substitutions = argsIn(fieldOf(given, 'substitutions'), `${place}.substitutions`);
  const replace = (text: string | null) =>
    text === null
      ? null
      : Object.entries(substitutions).reduce(
          (done, [key, value]) => (key === '' ? done : done.replaceAll(key, () => String(value))),
          text,
        );
  return { subject: replace(checkedSubject(subject, place)), text: replace(common.text), html: replace(common.html) };
}

function checkedSubject(subject: unknown, place: string): string {
  if (!isText(subject) || subject === '')
    throw refuseField(
      'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
      'subject',
    );
  if (!isHeaderText(subject)) throw refuseField('The subject holds a line break.', `${place}.subject`);
  return subject;
}

function rendered(template: unknown, data: unknown, escapes: boolean, place: string): string | null {
  if (!isText(template) || template === '') return null;
  try {
    return renderTemplate(template, data, { missing: 'empty', escapes });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuseField(error.message, `${place}.dynamic_template_data`);
  }
}

function contentIn(value: unknown, hasTemplate: boolean): { text: string | null; html: string | null } {
  if (isMissing(value) && hasTemplate) return { text: null, html: null };
  if (!Array.isArray(value) || value.length === 0)
    throw refuseField(
      'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block.',
      'content',
    );
  const content = { text: null as string | null, html: null as string | null };
  for (const [index, one] of value.entries()) {
    const part = objectOf(one) ?? {};
    const [type, text] = [mediaTypeIn(fieldOf(part, 'type')), fieldOf(part, 'value')];
    if (!isText(text) || text === '')
      throw refuseField(
        'The content value must be a string at least one character in length.',
        `content.${index}.value`,
      );
    if (type === 'text/plain' && content.text === null && content.html === null) content.text = text;
    else if (type === 'text/html' && content.html === null) content.html = text;
    else if (type === 'text/plain' || type === 'text/html')
      throw refuseField(
        'If present, text/plain and text/html may only be provided once, and text/plain must be first.',
        `content.${index}.type`,
      );
    else throw refuseField('mailcap takes the content types text/plain and text/html.', `content.${index}.type`);
  }
  return content;
}

function addressOf(value: unknown, field: string): ListedAddress | null {
  if (isMissing(value)) return null;
  const given = objectOf(value) ?? {};
  const address = namedAddress(fieldOf(given, 'email'), fieldOf(given, 'name'));
  if (address === null) throw refuseField('Does not contain a valid address.', field);
  return address;
}

function addressesOf(value: unknown, field: string): ListedAddress[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw refuseField('Must be an array of email objects.', field);
  return value.map((one: unknown, index) => {
    const address = addressOf(one, `${field}.${index}.email`);
    if (address === null) throw refuseField('Does not contain a valid address.', `${field}.${index}.email`);
    return address;
  });
}

function checkUnique(addresses: readonly ListedAddress[], place: string): void {
  const seen = new Set<string>();
  for (const { address } of addresses) {
    const key = comparableAddress(address);
    if (seen.has(key))
      throw refuseField(
        `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${address}] in the ${place} field.`,
        place,
      );
    seen.add(key);
  }
}

function argsIn(value: unknown, field: string): JsonObject {
  const given = isMissing(value) ? {} : objectOf(value);
  if (given === null || JSON.stringify(given).length > 10_000)
    throw refuseField('Must be an object of at most 10,000 bytes.', field);
  return given;
}

function filesIn(value: unknown): MailFile[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw refuseField('The attachments field must be an array.', 'attachments');
  let bytes = 0;
  return value.map((one: unknown, index) => {
    const given = objectOf(one) ?? {};
    const content = base64In(fieldOf(given, 'content'));
    if (content === null || content.length === 0)
      throw refuseField('The attachment content must be base64 encoded.', `attachments.${index}.content`);
    const filename = filenameIn(fieldOf(given, 'filename'));
    if (filename === null)
      throw refuseField(
        'The attachment filename parameter is required, and holds no line break.',
        `attachments.${index}.filename`,
      );
    bytes += content.length;
    if (bytes > MOST_FILE_BYTES) throw refuseField('The attachments are over 30 MB.', 'attachments', 413);
    const contentId = fieldOf(given, 'content_id');
    const isInline =
      fieldOf(given, 'disposition') === 'inline' && isText(contentId) && /^[^\s<>]{1,128}$/.test(contentId);
    return {
      filename,
      content,
      contentId: isInline ? String(contentId) : null,
      contentType: mediaTypeIn(fieldOf(given, 'type')),
    };
  });
}

function dueTime(value: unknown, field: string, now: number): number | undefined {
  if (isMissing(value)) return undefined;
  const time = Number(value) * 1_000;
  if (!Number.isSafeInteger(time) || time <= 0)
    throw refuseField('The send_at parameter must be a Unix timestamp.', field);
  if (time > now + LONGEST_MS) throw refuseField('Scheduling more than 72 hours in advance is forbidden.', field);
  return time <= now ? undefined : time;
}
