import { comparableAddress } from '../../domain/address.ts';
import type { ListedAddress } from '../../domain/address-list.ts';
import type { MailFile, ProviderRecord } from '../../domain/provider.ts';
import type { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUlid, oneByOne } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import {
  fieldOf,
  isHeaderText,
  isMissing,
  isSubject,
  isText,
  type JsonObject,
  mediaTypeIn,
  objectOf,
} from '../fields.ts';
import { addedHeaders, type FileForm, WRONG } from '../parts.ts';
import { type AskedMail, dueIn } from '../send.ts';
import { type Content, mergedContent, orRefuse, replaceTexts } from '../templates.ts';
import { refuseSendgrid } from './errors.ts';

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
  readonly given: BodyFields;
  readonly from: ListedAddress;
  readonly replyTo: readonly ListedAddress[];
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly MailFile[];
  readonly categories: readonly string[];
}

/**
 * Reads the mails of a request: one for each personalization. `template` is the template that the request names. Throws a
 * refusal of SendGrid.
 */
export async function sendgridMails(
  call: DoorCall,
  given: BodyFields,
  template: ProviderRecord | null,
  now: number,
): Promise<AskedMail[]> {
  const personalizations = given.objects('personalizations', MOST);
  if (personalizations.length === 0)
    throw refuseSendgrid(
      'The personalizations field is required and must have at least one personalization.',
      'personalizations',
    );
  const common = commonIn(given, template !== null);
  const mails = await oneByOne(personalizations, (one) => mailOf(call, common, one, template, now));
  if (mails.reduce((sum, { mail }) => sum + mail.recipients.length, 0) > MOST)
    throw refuseSendgrid(`There are more than ${MOST} recipients.`, 'personalizations');
  return mails;
}

function commonIn(given: BodyFields, hasTemplate: boolean): Common {
  const from = given.person('from');
  if (from === null)
    throw refuseSendgrid(
      'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
      'from',
    );
  const one = given.person('reply_to');
  if (one !== null && !given.lacks('reply_to_list'))
    throw refuseSendgrid('The reply_to and the reply_to_list can’t both be there.', 'reply_to_list');
  const categories = given.lines('categories', 10);
  const attachments = given.files('attachments', FILES);
  const replyTo = one === null ? given.people('reply_to_list') : [one];
  return { given, from, replyTo, categories, attachments, ...contentIn(given.raw('content'), hasTemplate) };
}

function mailOf(
  call: DoorCall,
  common: Common,
  given: BodyFields,
  template: ProviderRecord | null,
  now: number,
): AskedMail {
  const { place } = given;
  const { to, cc, bcc } = given.recipients(3 * MOST, MOST);
  if (to.length === 0)
    throw refuseSendgrid(
      'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
      `${place}.to`,
    );
  checkUnique([...to, ...cc, ...bcc], place);
  const from = given.person('from') ?? common.from;
  const customArgs = argsIn('custom_args', common.given, given);
  const args = Object.entries(customArgs).map(([name, value]) => `${name}=${String(value)}`);
  if (!args.every(isHeaderText))
    throw refuseSendgrid('The custom_args field holds a line break.', `${place}.custom_args`);
  const added = addedHeaders(argsIn('headers', common.given, given), 'headers', (field, wrong) =>
    refuseSendgrid(`The ${field} ${WRONG[wrong]}.`, `${place}.headers`),
  );
  const { categories, replyTo, attachments } = common;
  const id = newUlid(call);
  const mail = builtMail({
    ...{ id, messageId: `<${id}@geopod-ismtpd-mailcap>`, from, to, cc, bcc, replyTo, attachments, added },
    ...contentOf(call, common, given, template),
    told: [...headersNamed('X-SG-Category', categories), ...headersNamed('X-SG-Custom-Arg', args)],
  });
  const batch = common.given.raw('batch_id');
  const batchId = isText(batch) && batch !== '' ? batch.slice(0, 100) : null;
  const sendAt = given.raw('send_at') ?? common.given.raw('send_at');
  const fields = { customArgs, categories, batchId, from: from.address, subject: mail.subject };
  return { mail, dueAt: isMissing(sendAt) ? undefined : dueTime(sendAt, `${place}.send_at`, now), fields };
}

/** The content that a template makes, or that of the request with the texts of a personalization in their places. */
function contentOf(
  call: DoorCall,
  { given, text, html }: Common,
  own: BodyFields,
  template: ProviderRecord | null,
): Content {
  const subject = own.lacks('subject') ? given.raw('subject') : own.raw('subject');
  if (template !== null) {
    const name = 'dynamic_template_data';
    const data = own.raw(name) ?? {};
    const refuse = (reason: string) => refuseSendgrid(reason, `${own.place}.${name}`);
    if (objectOf(data) === null) throw refuse(`The ${name} field must be an object.`);
    const { subject: line, html_content, plain_content } = template.data;
    const made = mergedContent(call, { subject: line, html: html_content, text: plain_content }, data, refuse);
    return { ...made, subject: checkedSubject(made.subject || subject, own.place) };
  }
  const values = Object.entries(argsIn('substitutions', own)).map(([key, value]) => [key, String(value)] as const);
  const refuse = (reason: string) => refuseSendgrid(reason, `${own.place}.substitutions`);
  const replace = (part: string) => orRefuse(() => replaceTexts(part, values, call), refuse);
  return {
    subject: checkedSubject(isText(subject) ? replace(subject) : subject, own.place),
    text: text === null ? null : replace(text),
    html: html === null ? null : replace(html),
  };
}

function checkedSubject(subject: unknown, place: string): string {
  if (!isText(subject) || subject === '')
    throw refuseSendgrid(
      'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
      'subject',
    );
  if (!isSubject(subject))
    throw refuseSendgrid('The subject holds a line break, or is longer than 2,000 characters.', `${place}.subject`);
  return subject;
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

/** Reads an object that several parts of a request have; those of later ones win. */
function argsIn(name: string, ...parts: readonly BodyFields[]): JsonObject {
  return Object.fromEntries(parts.flatMap((given) => Object.entries(given.object(name, 10_000))));
}

function dueTime(value: unknown, field: string, now: number): number | undefined {
  return dueIn(Number(value) * 1_000, now, LONGEST_MS, (wrong) =>
    refuseSendgrid(
      wrong === 'no_time'
        ? 'The send_at parameter must be a Unix timestamp.'
        : 'Scheduling more than 72 hours in advance is forbidden.',
      field,
    ),
  );
}
