import { createHmac } from 'node:crypto';
import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import type { MailFile } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall, DoorField } from '../door.ts';
import {
  addressIn,
  addressListIn,
  customHeaders,
  fieldOf,
  filenameIn,
  isHeaderText,
  isText,
  type JsonObject,
  LONGEST_LIST,
  mediaTypeIn,
  objectOf,
} from '../fields.ts';
import { type AskedMail, canWait } from '../send.ts';
import { oneLine, orRefuse, renderTemplate, replaceTexts } from '../templates.ts';
import { refuseSaying } from './errors.ts';

// The form of `POST /v3/{domain}/messages`, checked as Mailgun checks it.

/** The recipients of a request, and its tags, at most. */
const MOST_RECIPIENTS = 1_000;
const MOST_TAGS = 10;
/** Mailgun schedules up to seven days ahead. */
const LONGEST_MS = 7 * 86_400_000;

/** A template that a request names. */
export interface MailgunTemplate {
  readonly name: string;
  readonly template: string;
}

/** Reads the mails of a form: one, or with recipient variables one for each of `to`. Throws a refusal of Mailgun. */
export function mailgunMails(call: DoorCall, template: MailgunTemplate | null, now: number): AskedMail[] {
  const form = new Form(call.body.kind === 'form' ? call.body.fields : []);
  const from = addressIn(form.one('from'));
  if (form.one('from') === null) throw refuseSaying('from parameter is missing');
  if (from === null) throw refuseSaying("'from' parameter is not a valid address. please check documentation");
  const [to, cc, bcc, replyTo] = [
    listIn(form, 'to'),
    listIn(form, 'cc'),
    listIn(form, 'bcc'),
    listIn(form, 'h:Reply-To'),
  ];
  if (to.length === 0) throw refuseSaying('to parameter is missing');
  if (to.length + cc.length + bcc.length > MOST_RECIPIENTS)
    throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  const content = contentIn(call, form, template);
  const variables = jsonIn(form, 'recipient-variables');
  const tags = form.all('o:tag');
  if (tags.length > MOST_TAGS || !tags.every((tag) => tag.length <= 128 && isHeaderText(tag)))
    throw refuseSaying(`at most ${MOST_TAGS} tags of 128 characters are allowed`);
  const own = form.beginning('v:');
  const { headers, messageId } = headersIn(form, own, tags);
  const attachments = filesIn(form);
  const dueAt = dueTime(form.one('o:deliverytime'), now);
  const build = (recipients: readonly ListedAddress[], values: JsonObject | null): AskedMail => {
    const id = newUlid(call).toLowerCase();
    const fill = (text: string | null) => (text === null || values === null ? text : filled(call, text, values));
    const subject = fill(content.subject) ?? '';
    if (!isHeaderText(subject)) throw refuseSaying('the subject holds a line break');
    const mail = {
      id,
      messageId: messageId ?? `<${id}@${domainOf(call)}>`,
      ...{ from, cc, replyTo, headers, attachments, subject },
      ...{ to: [...recipients], html: fill(content.html), text: fill(content.text) },
      mailFrom: from.address,
      recipients: distinctAddresses([...recipients, ...cc, ...bcc]),
    };
    if (dueAt !== undefined && !canWait(mail))
      throw refuseSaying('mailcap schedules mails up to 256 KB: this one is larger');
    const fields = {
      domain: domainOf(call),
      messageId: mail.messageId,
      from: from.address,
      subject,
      tags,
      variables: Object.fromEntries(own),
    };
    // Nobody gets a mail of the test mode, so it waits for no time.
    return {
      mail,
      ...(isTest(form) ? { isTest: true } : { dueAt }),
      fields: { ...fields, recipients: mail.recipients },
    };
  };
  if (variables === null) return [build(to, null)];
  return to.map((one) =>
    build([one], objectOf(Object.hasOwn(variables, one.address) ? variables[one.address] : {}) ?? {}),
  );
}

/** Reads the recipients of `POST /v3/{domain}/messages.mime`. */
export function mimeRecipients(call: DoorCall): string[] {
  const to = distinctAddresses(listIn(new Form(call.body.kind === 'form' ? call.body.fields : []), 'to'));
  if (to.length === 0) throw refuseSaying('to parameter is missing');
  if (to.length > MOST_RECIPIENTS) throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  return to;
}

export function domainOf({ params }: DoorCall): string {
  const domain = (params['domain'] ?? '').toLowerCase();
  if (!/^[a-z0-9.-]{1,253}$/.test(domain)) throw refuseSaying(`Domain not found: ${domain.slice(0, 100)}`, 404);
  return domain;
}

/** The fields of a form by their names. */
export class Form {
  readonly #fields: readonly DoorField[];

  constructor(fields: readonly DoorField[]) {
    // PHP numbers the fields of a list, such as attachment[0].
    this.#fields = fields.map((field) => ({
      ...field,
      name: field.name.replace(/^(?![hv]:)([a-z:-]+)\[\d{0,4}\]$/, '$1'),
    }));
  }

  all(name: string): string[] {
    return this.#fields.filter((field) => field.name === name && field.file === undefined).map(({ value }) => value);
  }

  /** Returns the first value of a name; null if there is none or it is empty. */
  one(name: string): string | null {
    return this.all(name)[0] || null;
  }

  /** Returns the fields whose names begin with a text, without it. */
  beginning(start: string): [string, string][] {
    return this.#fields
      .filter(({ name, file }) => name.startsWith(start) && file === undefined)
      .map(({ name, value }) => [name.slice(start.length), value]);
  }

  files(name: string): NonNullable<DoorField['file']>[] {
    return this.#fields.flatMap((field) => (field.name === name && field.file !== undefined ? [field.file] : []));
  }
}

function listIn(form: Form, name: string): ListedAddress[] {
  const label = name.replace(/^h:/, '');
  const texts = form.all(name);
  if (texts.length > MOST_RECIPIENTS || texts.reduce((sum, text) => sum + text.length, 0) > LONGEST_LIST)
    throw refuseSaying(`more than ${MOST_RECIPIENTS} recipients`);
  return texts.flatMap((text) => {
    if (text.trim() === '') return [];
    return (addressListIn(text) ?? [addressIn(text)]).map((address) => {
      if (address === null)
        throw refuseSaying(`'${label}' parameter is not a valid address. please check documentation`);
      return address;
    });
  });
}

function contentIn(call: DoorCall, form: Form, template: MailgunTemplate | null) {
  const subject = form.one('subject') ?? '';
  const [text, own] = [form.one('text'), form.one('html')];
  if (template === null) {
    if (text === null && own === null)
      throw refuseSaying("Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified");
    return { subject, text, html: own };
  }
  const data = {
    ...jsonIn(form, 'h:X-Mailgun-Variables'),
    ...jsonIn(form, 't:variables'),
    ...Object.fromEntries(form.beginning('v:')),
  };
  const html = orRefuse(
    () => renderTemplate(template.template, data, { missing: 'empty', escapes: true }, call),
    refuseSaying,
  );
  return { subject: oneLine(subject), text, html };
}

/** Puts the variables of a recipient in the place of `%recipient.name%`. */
function filled(call: DoorCall, text: string, values: JsonObject): string {
  const named = [...new Set(text.match(/%recipient\.[\w-]{1,100}%/g))];
  const known = named.flatMap((whole) => {
    const value = fieldOf(values, whole.slice('%recipient.'.length, -1));
    return value === undefined || typeof value === 'object' ? [] : [[whole, String(value)] as const];
  });
  return orRefuse(() => replaceTexts(text, known, call), refuseSaying);
}

function jsonIn(form: Form, name: string): JsonObject | null {
  const text = form.one(name);
  if (text === null) return null;
  try {
    const value = objectOf(JSON.parse(text));
    if (value !== null) return value;
  } catch {
    // It is no JSON: the same refusal.
  }
  throw refuseSaying(`'${name}' parameter is not a JSON object`);
}

function headersIn(form: Form, own: readonly (readonly [string, string])[], tags: readonly string[]) {
  const given = form.beginning('h:').filter(([name]) => !/^(?:reply-to|x-mailgun-variables)$/i.test(name));
  const read = customHeaders(given);
  if ('refused' in read)
    throw refuseSaying(
      `the header ${JSON.stringify(read.refused.slice(0, 80))} is not valid, or the mail has it anyway`,
    );
  const variables = own.length === 0 ? [] : [['X-Mailgun-Variables', JSON.stringify(Object.fromEntries(own))] as const];
  if (variables.some(([, value]) => value.length > 4_000)) throw refuseSaying('the variables are larger than 4 KB');
  return {
    messageId: read.messageId,
    headers: [...read.headers, ...variables, ...tags.map((tag) => ['X-Mailgun-Tag', tag] as const)],
  };
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
  const time = /^\d{9,11}(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  if (!isText(text) || Number.isNaN(time) || text.length > 64)
    throw refuseSaying("'o:deliverytime' is not a valid date of RFC 2822");
  if (time > now + LONGEST_MS) throw refuseSaying("'o:deliverytime' is more than 7 days ahead");
  return time <= now ? undefined : Math.floor(time);
}

/** Tells whether a mail is only a test. */
export function isTest(form: Form): boolean {
  return /^(?:yes|true)$/i.test(form.one('o:testmode') ?? '');
}

/** The key of signatures. It is made of a key of the server, so it needs no record. */
export function httpSigningKey({ ctx, workspaceId }: DoorCall): string {
  return createHmac('sha256', ctx.runtime.ready?.apiKey ?? '')
    .update(`mailgun ${workspaceId}`)
    .digest('hex')
    .slice(0, 32);
}

export function formOf({ body }: DoorCall): Form {
  return new Form(body.kind === 'form' ? body.fields : []);
}
