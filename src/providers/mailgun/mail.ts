import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import type { MailFile, ProviderRecord } from '../../domain/provider.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUlid, oneByOne } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import {
  addressIn,
  customHeaders,
  fieldOf,
  filenameIn,
  isHeaderText,
  isSubject,
  type JsonObject,
  LONGEST_LIST,
  mediaTypeIn,
  objectOf,
  writtenAddresses,
} from '../fields.ts';
import { type AskedMail, dueIn } from '../send.ts';
import { mergedContent, oneLine, orRefuse, replaceTexts } from '../templates.ts';
import { refuseSaying } from './errors.ts';
import { domainOf, Form } from './form.ts';

// The form of `POST /v3/{domain}/messages`, checked as Mailgun checks it.

/** The recipients of a request, and its tags, at most. */
const MOST_RECIPIENTS = 1_000;
const MOST_TAGS = 10;
/** Mailgun schedules up to seven days ahead. */
const LONGEST_MS = 7 * 86_400_000;

/** Reads the mails of a form: one, or with recipient variables one for each of `to`. Throws a refusal of Mailgun. */
export async function mailgunMails(call: DoorCall, template: ProviderRecord | null, now: number): Promise<AskedMail[]> {
  const form = new Form(call);
  const domain = domainOf(call);
  const from = addressIn(form.one('from'));
  if (form.one('from') === null) throw refuseSaying('from parameter is missing');
  if (from === null) throw refuseSaying("'from' parameter is not a valid address. please check documentation");
  const [to, cc, bcc] = [listIn(form, 'to'), listIn(form, 'cc'), listIn(form, 'bcc')];
  const replyTo = listIn(form, 'h:Reply-To');
  if (to.length === 0) throw refuseSaying('to parameter is missing');
  if (to.length + cc.length + bcc.length > MOST_RECIPIENTS)
    throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  const content = contentIn(call, form, template);
  const variables = form.json('recipient-variables');
  const tags = form.all('o:tag');
  if (tags.length > MOST_TAGS || !tags.every((tag) => tag.length <= 128 && isHeaderText(tag)))
    throw refuseSaying(`at most ${MOST_TAGS} tags of 128 characters are allowed`);
  const added = headersIn(form);
  const attachments = filesIn(form);
  const dueAt = dueTime(form.one('o:deliverytime'), now);
  const build = (recipients: readonly ListedAddress[], values: JsonObject | null): AskedMail => {
    const id = newUlid(call).toLowerCase();
    const fill = (text: string) => (values === null ? text : filled(call, text, recipients, values));
    const part = (text: string | null) => (text === null ? null : fill(text));
    const subject = fill(content.subject);
    if (!isSubject(subject)) throw refuseSaying('the subject holds a line break, or is longer than 2,000 characters');
    const own = form.beginning('v:').map(([name, value]) => [name, fill(value)] as const);
    const told = [...variableHeaders(own), ...headersNamed('X-Mailgun-Tag', tags)];
    const mail = builtMail({
      ...{ id, messageId: `<${id}@${domain}>`, from, to: recipients, cc, bcc, replyTo, added, told, attachments },
      ...{ subject, html: part(content.html), text: part(content.text) },
    });
    const fields = { domain, from: from.address, subject, tags, variables: Object.fromEntries(own) };
    // Nobody gets a mail of the test mode, so it waits for no time.
    return { mail, fields, ...(form.isTest ? { isTest: true } : { dueAt }) };
  };
  if (variables === null) return [build(to, null)];
  return oneByOne(to, (one) =>
    build([one], objectOf(Object.hasOwn(variables, one.address) ? variables[one.address] : {}) ?? {}),
  );
}

/** Reads the recipients of `POST /v3/{domain}/messages.mime`. */
export function mimeRecipients(form: Form): string[] {
  const to = distinctAddresses(listIn(form, 'to'));
  if (to.length === 0) throw refuseSaying('to parameter is missing');
  if (to.length > MOST_RECIPIENTS) throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  return to;
}

function listIn(form: Form, name: string): ListedAddress[] {
  const label = name.replace(/^h:/, '');
  const texts = form.all(name);
  if (texts.length > MOST_RECIPIENTS || texts.reduce((sum, text) => sum + text.length, 0) > LONGEST_LIST)
    throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  return texts.flatMap((text) => {
    const list = text.trim() === '' ? [] : writtenAddresses(text);
    if (list === null) throw refuseSaying(`'${label}' parameter is not a valid address. please check documentation`);
    return list;
  });
}

function contentIn(call: DoorCall, form: Form, template: ProviderRecord | null) {
  const subject = form.one('subject') ?? '';
  const [text, own] = [form.one('text'), form.one('html')];
  if (template === null) {
    if (text === null && own === null)
      throw refuseSaying("Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified");
    return { subject, text, html: own };
  }
  const data = {
    ...form.json('h:X-Mailgun-Variables'),
    ...form.json('t:variables'),
    ...Object.fromEntries(form.beginning('v:')),
  };
  const { html } = mergedContent(call, { ...NOTHING, html: template.data['template'] }, data, refuseSaying);
  return { subject: oneLine(subject), text, html };
}

const NOTHING = { subject: null, html: null, text: null };

/** Puts the variables of a recipient in the place of `%recipient.name%`, and the recipient in that of `%recipient%`. */
function filled(call: DoorCall, text: string, [recipient]: readonly ListedAddress[], values: JsonObject): string {
  const { address = '', name } = recipient ?? {};
  const [first = '', ...others] = (name ?? '').split(' ');
  const own: JsonObject = {
    '%recipient%': name ? `${name} <${address}>` : address,
    ...{ '%recipient_email%': address, '%recipient_name%': name ?? '' },
    ...{ '%recipient_fname%': first, '%recipient_lname%': others.join(' ') },
  };
  const named = [...new Set(text.match(/%recipient(?:\.[\w-]{1,100}|_\w{4,5})?%/g))];
  const known = named.flatMap((whole) => {
    const value = fieldOf(own, whole) ?? fieldOf(values, whole.slice('%recipient.'.length, -1));
    return value === undefined || typeof value === 'object' ? [] : [[whole, String(value)] as const];
  });
  return orRefuse(() => replaceTexts(text, known, call), refuseSaying);
}

function headersIn(form: Form) {
  const given = form.beginning('h:').filter(([name]) => !/^(?:reply-to|x-mailgun-variables)$/i.test(name));
  const read = customHeaders(given);
  if ('refused' in read)
    throw refuseSaying(
      `the header ${JSON.stringify(read.refused.slice(0, 80))} is not valid, or the mail has it anyway`,
    );
  return read;
}

function variableHeaders(variables: readonly (readonly [string, string])[]) {
  const shown = variables.length === 0 ? [] : [JSON.stringify(Object.fromEntries(variables))];
  if (shown.some(({ length }) => length > 4_000)) throw refuseSaying('the variables are larger than 4 KB');
  return headersNamed('X-Mailgun-Variables', shown);
}

function filesIn(form: Form): MailFile[] {
  const files = [
    ...form.files('attachment').map((file) => ({ ...file, isInline: false })),
    ...form.files('inline').map((file) => ({ ...file, isInline: true })),
  ];
  return files.map(({ name, type, content, isInline }) => {
    const filename = filenameIn(name);
    if (filename === null) throw refuseSaying('a file has no name, or one that a header can’t have');
    // The HTML shows an inline file by its name: cid:logo.png.
    const contentId = isInline && /^[^\s<>]{1,128}$/.test(filename) ? filename : null;
    return { filename, content, contentId, contentType: mediaTypeIn(type) };
  });
}

function dueTime(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const time = /^\d{9,11}(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text.slice(0, 64));
  return dueIn(time, now, LONGEST_MS, (wrong) =>
    refuseSaying(
      `'o:deliverytime' is ${wrong === 'no_time' ? 'not a valid date of RFC 2822' : 'more than 7 days ahead'}`,
    ),
  );
}
