import { comparableAddress } from '../../domain/address.ts';
import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import { type MailFile, uuid7Of } from '../../domain/provider.ts';
import { realTime } from '../../ports/system.ts';
import type { DoorCall } from '../door.ts';
import {
  addressIn,
  addressListIn,
  base64In,
  customHeaders,
  fieldOf,
  filenameIn,
  isHeaderText,
  isMissing,
  isText,
  type JsonObject,
  mediaTypeIn,
  objectOf,
} from '../fields.ts';
import type { AskedMail } from '../send.ts';
import { INACTIVE, refuseWith } from './errors.ts';

// The body of `POST /email`, checked as Postmark checks it.

/** The recipients of To, Cc and Bcc together, at most. */
const MOST_RECIPIENTS = 50;
/** The characters of each body, and the bytes of all files, at most. */
const LONGEST_BODY = 5 * 1024 * 1024;
const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** The content of a mail: what it was sent with, or what a template made. */
export interface PostmarkContent {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** Reads an email. `made` is the content that a template made. Throws a refusal of Postmark. */
export async function postmarkMail(call: DoorCall, value: unknown, made?: PostmarkContent): Promise<AskedMail> {
  const given = objectOf(value);
  if (given === null) throw refuseWith(402, 'The JSON of an email must be an object.');
  if (isMissing(fieldOf(given, 'From'))) throw refuseWith(300, "The 'From' address is missing.");
  const from = addressIn(fieldOf(given, 'From'));
  if (from === null) throw refuseWith(300, "Invalid 'From' value.");
  const [to, cc, bcc, replyTo] = [
    listIn(given, 'To'),
    listIn(given, 'Cc'),
    listIn(given, 'Bcc'),
    listIn(given, 'ReplyTo'),
  ];
  const recipients = distinctAddresses([...to, ...cc, ...bcc]);
  if (recipients.length === 0) throw refuseWith(300, 'Zero recipients specified');
  if (to.length + cc.length + bcc.length > MOST_RECIPIENTS)
    throw refuseWith(300, `Too many recipients: at most ${MOST_RECIPIENTS}.`);
  const { subject, html, text } = made ?? contentIn(given);
  if (!isHeaderText(subject) || subject.length > 2_000) throw refuseWith(300, "Invalid 'Subject' value.");
  const tag = textField(given, 'Tag');
  if (tag !== null && (tag.length > 1_000 || !isHeaderText(tag))) throw refuseWith(300, "Invalid 'Tag' value.");
  const metadata = metadataIn(fieldOf(given, 'Metadata'));
  const inactive = await suppressedAmong(call, recipients);
  if (inactive.length > 0)
    throw refuseWith(
      INACTIVE,
      `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${inactive.join(', ')}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`,
    );
  const id = uuid7Of(call.ctx.ids.next(realTime(call.ctx.clock)));
  const { headers, messageId } = headersIn(fieldOf(given, 'Headers'));
  const stream = textField(given, 'MessageStream') ?? 'outbound';
  const attachments = filesIn(fieldOf(given, 'Attachments'));
  return {
    mail: {
      id,
      messageId: messageId ?? `<${id}@mtasv.net>`,
      ...{ from, to, cc, replyTo, subject, html, text, attachments },
      headers: [
        ...headers,
        ['X-PM-Message-Id', id],
        ...(tag === null ? [] : [['X-PM-Tag', tag] as const]),
        ...metadata.map(([name, one]) => [`X-PM-Metadata-${name}`, one] as const),
      ],
      mailFrom: from.address,
      recipients,
    },
    fields: {
      ...{ from: textField(given, 'From'), subject, tag, stream, metadata: Object.fromEntries(metadata) },
      ...{ to: to.map(shown), cc: cc.map(shown), bcc: bcc.map(shown), recipients },
      files: attachments.map(({ filename }) => filename),
    },
  };
}

function shown({ name, address }: ListedAddress) {
  return { Email: address, Name: name ?? '' };
}

function contentIn(given: JsonObject): PostmarkContent {
  const [html, text] = [textField(given, 'HtmlBody'), textField(given, 'TextBody')];
  if (isMissing(html) && isMissing(text)) throw refuseWith(300, 'Provide either email TextBody or HtmlBody or both.');
  if ((html ?? '').length > LONGEST_BODY || (text ?? '').length > LONGEST_BODY)
    throw refuseWith(300, 'The body of the email is over 5 MB.');
  return { html, text, subject: textField(given, 'Subject') ?? '' };
}

export function textField(given: JsonObject, name: string): string | null {
  const value = fieldOf(given, name) ?? null;
  if (value === null || isText(value)) return value;
  throw refuseWith(403, `Invalid JSON: '${name}' must be a text.`);
}

function listIn(given: JsonObject, name: string): ListedAddress[] {
  const value = textField(given, name);
  if (value === null || value.trim() === '') return [];
  const list = addressListIn(value) ?? [addressIn(value)];
  return list.map((address) => {
    if (address === null)
      throw refuseWith(300, `Error parsing '${name}': Illegal email address '${value.slice(0, 200)}'.`);
    return address;
  });
}

function headersIn(value: unknown) {
  if (isMissing(value)) return { headers: [], messageId: null };
  if (!Array.isArray(value)) throw refuseWith(403, "Invalid JSON: 'Headers' must be an array.");
  const read = customHeaders(
    value.map((one: unknown) => {
      const header = objectOf(one) ?? {};
      return [String(fieldOf(header, 'Name') ?? ''), fieldOf(header, 'Value')] as const;
    }),
  );
  if ('refused' in read)
    throw refuseWith(300, `The header ${JSON.stringify(read.refused.slice(0, 80))} is not allowed.`);
  return read;
}

/** Postmark takes ten fields with names of 20 and values of 80 characters. */
function metadataIn(value: unknown): [string, string][] {
  if (isMissing(value)) return [];
  const entries = Object.entries(objectOf(value) ?? { '': null });
  if (entries.length > 10) throw refuseWith(300, 'Metadata has more than 10 fields.');
  return entries.map(([name, one]) => {
    const text = isText(one) ? one : '';
    if (!/^[\w-]{1,20}$/.test(name) || !isText(one) || one.length > 80 || !isHeaderText(text))
      throw refuseWith(300, `Metadata has an invalid field ${JSON.stringify(name.slice(0, 40))}.`);
    return [name, text];
  });
}

function filesIn(value: unknown): MailFile[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw refuseWith(403, "Invalid JSON: 'Attachments' must be an array.");
  let bytes = 0;
  return value.map((one: unknown) => {
    const given = objectOf(one) ?? {};
    const [content, filename] = [base64In(fieldOf(given, 'Content')), filenameIn(fieldOf(given, 'Name'))];
    if (content === null || filename === null)
      throw refuseWith(300, 'An attachment has no Name, or a Content that is not base64.');
    bytes += content.length;
    if (bytes > MOST_FILE_BYTES) throw refuseWith(300, 'The attachments are over 10 MB.');
    const contentId = textField(given, 'ContentID')?.replace(/^cid:/, '') || null;
    if (contentId !== null && !/^[^\s<>]{1,128}$/.test(contentId))
      throw refuseWith(300, 'An attachment has an invalid ContentID.');
    return { filename, content, contentId, contentType: mediaTypeIn(fieldOf(given, 'ContentType')) };
  });
}

/** Returns the addresses that are on the suppression list of the workspace. */
async function suppressedAmong({ ctx, workspaceId }: DoorCall, addresses: readonly string[]): Promise<string[]> {
  const { suppression } = await ctx.store.readNow();
  const found: string[] = [];
  for (const address of new Set(addresses))
    if ((await suppression.byRecipient(workspaceId, comparableAddress(address))) !== null) found.push(address);
  return found;
}
