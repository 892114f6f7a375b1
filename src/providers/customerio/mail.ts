import type { ListedAddress } from '../../domain/address-list.ts';
import type { MailFile } from '../../domain/provider.ts';
import type { BodyFields } from '../body-fields.ts';
import { builtMail } from '../built-mail.ts';
import { newUuid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { addressIn, base64In, filenameIn, type JsonObject } from '../fields.ts';
import { type AskedMail, dueIn } from '../send.ts';
import { type Content, mergedContent } from '../templates.ts';
import { refuseCustomerio } from './errors.ts';

// The body of `POST /v1/send/email`, checked as Customer.io checks it.

/** The recipients in `to`, and in `bcc`, at most. */
const MOST_RECIPIENTS = 15;
/** Customer.io schedules up to 90 days ahead. */
const LONGEST_MS = 90 * 86_400_000;
/** The bytes of all files of a mail, at most. */
const MOST_BYTES = 2 * 1024 * 1024;
/** The sender of a mail whose template says who it comes from. */
const OF_TEMPLATE: ListedAddress = {
  ...{ name: null, address: 'template@customerio.invalid', domain: 'customerio.invalid' },
};

/** Reads a mail. Throws a refusal of Customer.io. */
export function customerioMail(call: DoorCall, given: BodyFields, now: number): AskedMail {
  const listIn = (name: string) => given.addressLine(name, MOST_RECIPIENTS);
  const [to, bcc, replyTo] = [listIn('to'), listIn('bcc'), listIn('reply_to')];
  if (to.length === 0) throw given.refuse('to', 'missing');
  const identifiers = given.object('identifiers', 1_000);
  if (Object.keys(identifiers).length === 0) throw given.refuse('identifiers', 'missing');
  const template = given.raw('transactional_message_id') ?? null;
  if (template === null)
    for (const name of ['from', 'subject', 'body']) if (given.lacks(name)) throw given.refuse(name, 'missing');
  const from = given.lacks('from') ? OF_TEMPLATE : addressIn(given.raw('from'));
  if (from === null) throw given.refuse('from', 'address');
  const content = contentOf(call, given, identifiers);
  const id = newUuid(call);
  const mail = builtMail({
    ...{ id, messageId: `<${id}@customeriomail.com>`, from, to, bcc, replyTo, ...content },
    ...{ added: given.headers('headers'), attachments: filesIn(given) },
  });
  const fields = { from: from.address, to: given.raw('to'), subject: content.subject, template, identifiers };
  return { mail, fields, dueAt: given.lacks('send_at') ? undefined : dueTime(given.raw('send_at'), now) };
}

/**
 * The content of the request, with its data in the place of `{{trigger.name}}`. A template stands at Customer.io alone, so a
 * mail that names one is made of the data for it, in which tests find codes and links.
 */
function contentOf(call: DoorCall, given: BodyFields, customer: JsonObject): Content {
  const trigger = given.object('message_data');
  const [subject, html, text] = [given.line('subject'), given.text('body'), given.text('body_plain')];
  for (const part of [subject, html, text])
    if (part?.includes('{%')) throw refuseCustomerio('mailcap merges {{trigger.name}} alone, and no {% … %}');
  const made = mergedContent(call, { subject, html, text }, { trigger, customer }, refuseCustomerio, { escaped: [] });
  const named = `Transactional message ${String(given.raw('transactional_message_id')).slice(0, 100)}`;
  if (made.html !== null || made.text !== null) return { ...made, subject: made.subject || named };
  const lines = Object.entries(trigger).map(([name, value]) => `${name}: ${shownValue(value)}`);
  return { subject: made.subject || named, html: null, text: lines.join('\n') };
}

function shownValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Reads the files of a mail: base64 by the names. */
function filesIn(given: BodyFields): MailFile[] {
  const files = Object.entries(given.object('attachments', 2 * MOST_BYTES)).map(([name, value]) => {
    const [filename, content] = [filenameIn(name), base64In(value)];
    if (filename === null) throw given.refuse('attachments', 'filename');
    if (content === null) throw given.refuse('attachments', 'content');
    return { filename, content, contentType: null, contentId: null };
  });
  if (files.reduce((sum, { content }) => sum + content.length, 0) > MOST_BYTES)
    throw given.refuse('attachments', 'too_large');
  return files;
}

function dueTime(value: unknown, now: number): number | undefined {
  return dueIn(Number(value) * 1_000, now, LONGEST_MS, (wrong) =>
    refuseCustomerio(`'send_at' ${wrong === 'no_time' ? 'must be a Unix timestamp' : 'is more than 90 days ahead'}`),
  );
}
