import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import { uuid7Of } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import {
  addressIn,
  addressListIn,
  base64In,
  fieldOf,
  isHeaderText,
  isMissing,
  isText,
  type JsonObject,
  objectOf,
} from '../fields.ts';
import { addedHeaders, type FileForm, filesIn } from '../parts.ts';
import { type AskedMail, canWait } from '../send.ts';
import { refuseAs, refuseResendField } from './errors.ts';
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
const ADDRESS_FORM = 'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';

/** Reads an email. `now` is the time in the workspace. Throws a refusal of Resend. */
export function resendMail(call: DoorCall, value: unknown, now: number): AskedMail {
  const given = objectOf(value);
  if (given === null) throw refuseAs('validation_error', 'The request body must be a JSON object.', 400);
  for (const name of ['from', 'to', 'subject'] as const)
    if (isMissing(fieldOf(given, name))) throw refuseAs('missing_required_field', `Missing \`${name}\` field.`);
  if (!isMissing(fieldOf(given, 'template')))
    throw refuseAs('validation_error', 'mailcap stores no templates of Resend: send `html` or `text`.');
  const from = addressIn(fieldOf(given, 'from'));
  if (from === null) throw refuseAs('validation_error', `Invalid \`from\` field. ${ADDRESS_FORM}`);
  const [to, cc, bcc] = [listIn(given, 'to'), listIn(given, 'cc'), listIn(given, 'bcc')];
  if (to.length === 0) throw refuseAs('missing_required_field', 'Missing `to` field.');
  const replyTo = listIn(given, 'reply_to');
  const [subject, text, html] = [textIn(given, 'subject') ?? '', textIn(given, 'text'), textIn(given, 'html')];
  if (!isHeaderText(subject)) throw refuseAs('validation_error', 'The `\\n` is not allowed in the `subject` field.');
  if (isMissing(text) && isMissing(html)) throw refuseAs('validation_error', 'Missing `html` or `text` field.');
  const tags = tagsIn(fieldOf(given, 'tags'));
  const { headers, messageId } = addedHeaders(fieldOf(given, 'headers'), 'headers', refuseResendField);
  const attachments = attachmentsIn(fieldOf(given, 'attachments'));
  const id = uuid7Of(newUlid(call));
  const mail = {
    id,
    // Resend sends by Amazon SES, which writes such a Message-ID.
    messageId: messageId ?? `<${id}@email.amazonses.com>`,
    ...{ from, to, cc, replyTo, subject, text, html, attachments },
    // Tags are in the mail, so that searches find them.
    headers: [...headers, ...tags.map(({ name, value }) => ['X-Resend-Tag', `${name}=${value}`] as const)],
    mailFrom: from.address,
    recipients: distinctAddresses([...to, ...cc, ...bcc]),
  };
  const scheduled = textIn(given, 'scheduled_at');
  const dueAt = isMissing(scheduled) ? undefined : dueTime(scheduled ?? '', now);
  if (dueAt !== undefined && !canWait(mail))
    throw refuseAs('validation_error', 'mailcap schedules emails up to 256 KB: this one is larger.');
  return {
    mail,
    dueAt,
    fields: { ...shownFields({ from, to, cc, bcc, replyTo, subject, tags }), scheduledAt: dueAt ?? null },
  };
}

/** Reads `scheduled_at`. Throws a refusal of Resend. */
export function dueTime(text: string, now: number): number {
  const time = scheduledTime(text, now);
  if (time === null)
    throw refuseAs(
      'validation_error',
      'Invalid `scheduled_at` field. mailcap reads ISO 8601, and texts such as `in 1 min`, within the next 30 days.',
    );
  return time;
}

interface Shown {
  readonly from: ListedAddress;
  readonly to: readonly ListedAddress[];
  readonly cc: readonly ListedAddress[];
  readonly bcc: readonly ListedAddress[];
  readonly replyTo: readonly ListedAddress[];
  readonly subject: string;
  readonly tags: readonly Tag[];
}

function shownFields({ from, to, cc, bcc, replyTo, subject, tags }: Shown) {
  const written = (list: readonly ListedAddress[]) => list.map(writeAddress);
  return {
    from: writeAddress(from),
    to: written(to),
    cc: written(cc),
    bcc: written(bcc),
    replyTo: written(replyTo),
    subject,
    tags,
  };
}

function writeAddress({ name, address }: ListedAddress): string {
  return name === null || name === '' ? address : `${name} <${address}>`;
}

function textIn(given: JsonObject, name: string): string | null {
  const value = fieldOf(given, name) ?? null;
  if (value === null || isText(value)) return value;
  throw refuseAs('validation_error', `The \`${name}\` field must be a \`string\`.`);
}

function listIn(given: JsonObject, name: string): ListedAddress[] {
  const value = fieldOf(given, name);
  if (isMissing(value)) return [];
  const tooMany = () =>
    refuseAs('validation_error', `The \`${name}\` field must have at most ${MOST_RECIPIENTS} email addresses.`);
  if (Array.isArray(value) && value.length > MOST_RECIPIENTS) throw tooMany();
  const list = Array.isArray(value) ? value.map(addressIn) : (addressListIn(value) ?? [addressIn(value)]);
  if (list.length > MOST_RECIPIENTS) throw tooMany();
  return list.map((address) => {
    if (address === null) throw refuseAs('validation_error', `Invalid \`${name}\` field. ${ADDRESS_FORM}`);
    return address;
  });
}

interface Tag {
  readonly name: string;
  readonly value: string;
}

function tagsIn(value: unknown): Tag[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value) || value.length > MOST_TAGS)
    throw refuseAs('validation_error', `The \`tags\` field must be an array of at most ${MOST_TAGS} tags.`);
  return value.map((one: unknown) => {
    const tag = objectOf(one);
    const [name, text] = [tag && fieldOf(tag, 'name'), tag && fieldOf(tag, 'value')];
    const isTag = (part: unknown): part is string => isText(part) && /^[A-Za-z0-9_-]{1,256}$/.test(part);
    if (!isTag(name) || !isTag(text))
      throw refuseAs(
        'validation_error',
        'Tags should only contain ASCII letters, numbers, underscores, or dashes, and at most 256 characters.',
      );
    return { name, value: text };
  });
}

function attachmentsIn(value: unknown) {
  const files = Array.isArray(value) ? value.map((one: unknown) => objectOf(one) ?? {}) : [];
  for (const file of files) {
    if (!isMissing(fieldOf(file, 'content'))) continue;
    if (isMissing(fieldOf(file, 'path')))
      throw refuseAs('invalid_attachment', 'Attachment must have either a `content` or `path`.');
    throw refuseAs('invalid_attachment', 'mailcap fetches no file from a URL: send the `content` of the attachment.');
  }
  return filesIn(value, 'attachments', FILES, refuseResendField);
}

/** Reads base64, a Buffer as JSON writes it, or the list of bytes that the SDK for Python sends. Null if it is none of these. */
function contentIn(value: unknown): Uint8Array | null {
  const buffer = objectOf(value);
  const data = buffer !== null && fieldOf(buffer, 'type') === 'Buffer' ? fieldOf(buffer, 'data') : value;
  const isByte = (byte: unknown) => Number.isInteger(byte) && Number(byte) >= 0 && Number(byte) <= 255;
  if (Array.isArray(data)) return data.every(isByte) ? Buffer.from(data) : null;
  return base64In(value);
}
