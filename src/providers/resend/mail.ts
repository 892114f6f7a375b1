import type { ListedAddress } from '../../domain/address-list.ts';
import type { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUuid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { addressIn, base64In, fieldOf, isMissing, isSubject, isText, objectOf } from '../fields.ts';
import type { FileForm } from '../parts.ts';
import type { AskedMail } from '../send.ts';
import { refuseAs, validationError } from './errors.ts';
import { scheduledTime } from './scheduled-at.ts';

// The body of `POST /emails`, checked as Resend checks it.

/** The recipients of each of `to`, `cc` and `bcc`, at most. */
const MOST_RECIPIENTS = 50;
const MOST_TAGS = 75;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: 'content_type', disposition: null, mayLackName: true },
  contentId: ['content_id', 'inline_content_id'],
  decode: contentIn,
  // Resend takes 40 MB after base64.
  mostBytes: 30 * 1024 * 1024,
};

/** Reads an email. `now` is the time in the workspace. Throws a refusal of Resend. */
export function resendMail(call: DoorCall, given: BodyFields, now: number): AskedMail {
  for (const name of ['from', 'to', 'subject']) if (given.lacks(name)) throw given.refuse(name, 'missing');
  if (!given.lacks('template')) throw validationError('mailcap stores no templates of Resend: send `html` or `text`.');
  const from = addressIn(given.raw('from'));
  if (from === null) throw given.refuse('from', 'address');
  const [to, cc, bcc] = [listIn(given, 'to'), listIn(given, 'cc'), listIn(given, 'bcc')];
  if (to.length === 0) throw given.refuse('to', 'missing');
  const replyTo = listIn(given, 'reply_to');
  const [subject, text, html] = [given.text('subject') ?? '', given.text('text'), given.text('html')];
  if (!isSubject(subject))
    throw validationError('The `\\n` is not allowed in the `subject` field, nor more than 2,000 characters.');
  if (!text && !html) throw validationError('Missing `html` or `text` field.');
  const tags = tagsIn(given.raw('tags'));
  const id = newUuid(call);
  const mail = builtMail({
    // Resend sends by Amazon SES, which writes such a Message-ID.
    ...{ id, messageId: `<${id}@email.amazonses.com>`, from, to, cc, bcc, replyTo, subject, text, html },
    ...{ added: given.headers('headers'), attachments: attachmentsIn(given) },
    told: headersNamed(
      'X-Resend-Tag',
      tags.map(({ name, value }) => `${name}=${value}`),
    ),
  });
  const scheduled = given.text('scheduled_at');
  const dueAt = scheduled ? dueTime(scheduled, now) : undefined;
  const written = (list: readonly ListedAddress[]) => list.map(writeAddress);
  const lists = { to: written(to), cc: written(cc), bcc: written(bcc), replyTo: written(replyTo) };
  return { mail, dueAt, fields: { from: writeAddress(from), ...lists, subject, tags, scheduledAt: dueAt ?? null } };
}

/** Reads `scheduled_at`. Throws a refusal of Resend. */
export function dueTime(text: string, now: number): number {
  const time = scheduledTime(text, now);
  if (time === null)
    throw validationError(
      'Invalid `scheduled_at` field. mailcap reads ISO 8601, and texts such as `in 1 min`, within the next 30 days.',
    );
  return time;
}

function writeAddress({ name, address }: ListedAddress): string {
  return name === null || name === '' ? address : `${name} <${address}>`;
}

function listIn(given: BodyFields, name: string): ListedAddress[] {
  return given.addresses(name, MOST_RECIPIENTS, () =>
    validationError(`The \`${name}\` field must have at most ${MOST_RECIPIENTS} email addresses.`),
  );
}

interface Tag {
  readonly name: string;
  readonly value: string;
}

function tagsIn(value: unknown): Tag[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value) || value.length > MOST_TAGS)
    throw validationError(`The \`tags\` field must be an array of at most ${MOST_TAGS} tags.`);
  return value.map((one: unknown) => {
    const tag = objectOf(one);
    const [name, text] = [tag && fieldOf(tag, 'name'), tag && fieldOf(tag, 'value')];
    const isTag = (part: unknown): part is string => isText(part) && /^[A-Za-z0-9_-]{1,256}$/.test(part);
    if (!isTag(name) || !isTag(text))
      throw validationError(
        'Tags should only contain ASCII letters, numbers, underscores, or dashes, and at most 256 characters.',
      );
    return { name, value: text };
  });
}

function attachmentsIn(given: BodyFields) {
  const value = given.raw('attachments');
  const files = Array.isArray(value) ? value.map((one: unknown) => objectOf(one) ?? {}) : [];
  for (const file of files) {
    if (!isMissing(fieldOf(file, 'content'))) continue;
    if (isMissing(fieldOf(file, 'path')))
      throw refuseAs('invalid_attachment', 'Attachment must have either a `content` or `path`.');
    throw refuseAs('invalid_attachment', 'mailcap fetches no file from a URL: send the `content` of the attachment.');
  }
  return given.files('attachments', FILES);
}

/** Reads base64, a Buffer as JSON writes it, or the list of bytes that the SDK for Python sends. Null if it is none of these. */
function contentIn(value: unknown): Uint8Array | null {
  const buffer = objectOf(value);
  const data = buffer !== null && fieldOf(buffer, 'type') === 'Buffer' ? fieldOf(buffer, 'data') : value;
  const isByte = (byte: unknown) => Number.isInteger(byte) && Number(byte) >= 0 && Number(byte) <= 255;
  if (Array.isArray(data)) return data.every(isByte) ? Buffer.from(data) : null;
  return base64In(value);
}
