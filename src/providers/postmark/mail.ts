import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUuid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { addressIn, isHeaderText, isMissing, isSubject, isText, objectOf } from '../fields.ts';
import type { FileForm } from '../parts.ts';
import { type AskedMail, suppressedAmong } from '../send.ts';
import type { Content } from '../templates.ts';
import { INACTIVE, refusePostmarkField, refuseWith } from './errors.ts';

// The body of `POST /email`, checked as Postmark checks it.

/** The recipients of To, Cc and Bcc together, at most. */
const MOST_RECIPIENTS = 50;
/** The characters of each body, at most. */
const LONGEST_BODY = 5 * 1024 * 1024;
const FILES: FileForm = {
  ...{ content: 'Content', filename: 'Name', type: 'ContentType', contentId: ['ContentID'], disposition: null },
  mostBytes: 10 * 1024 * 1024,
};

/** Reads an email. `made` is the content that a template made. Throws a refusal of Postmark. */
export async function postmarkMail(call: DoorCall, value: unknown, made?: Content): Promise<AskedMail> {
  const fields = objectOf(value);
  if (fields === null) throw refuseWith(402, 'The JSON of an email must be an object.');
  const given = new BodyFields(fields, refusePostmarkField);
  if (given.lacks('From')) throw refuseWith(300, "The 'From' address is missing.");
  const from = addressIn(given.raw('From'));
  if (from === null) throw refuseWith(300, "Invalid 'From' value.");
  const listIn = (name: string) => given.addressLine(name, Number.POSITIVE_INFINITY);
  const [to, cc, bcc, replyTo] = [listIn('To'), listIn('Cc'), listIn('Bcc'), listIn('ReplyTo')];
  const recipients = distinctAddresses([...to, ...cc, ...bcc]);
  if (recipients.length === 0) throw refuseWith(300, 'Zero recipients specified');
  if (to.length + cc.length + bcc.length > MOST_RECIPIENTS)
    throw refuseWith(300, `Too many recipients: at most ${MOST_RECIPIENTS}.`);
  const content = made ?? contentIn(given);
  const { subject } = content;
  if (!isSubject(subject)) throw refuseWith(300, "Invalid 'Subject' value.");
  const tag = given.line('Tag', 1_000);
  const metadata = metadataIn(given.raw('Metadata'));
  const inactive = [...(await suppressedAmong(call, recipients)).keys()];
  if (inactive.length > 0)
    throw refuseWith(
      INACTIVE,
      `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${inactive.join(', ')}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`,
    );
  const id = newUuid(call);
  const added = given.headers('Headers', ['Name', 'Value']);
  const attachments = given.files('Attachments', FILES);
  const told = [
    ...headersNamed('X-PM-Message-Id', [id]),
    ...headersNamed('X-PM-Tag', tag === null ? [] : [tag]),
    ...metadata.map(([name, one]) => [`X-PM-Metadata-${name}`, one] as const),
  ];
  const ids = { id, messageId: `<${id}@mtasv.net>` };
  return {
    mail: builtMail({ ...ids, from, to, cc, bcc, replyTo, ...content, added, told, attachments }),
    fields: {
      ...{ from: given.raw('From'), subject, tag, metadata: Object.fromEntries(metadata) },
      ...{ to: to.map(shown), cc: cc.map(shown), bcc: bcc.map(shown) },
      stream: given.text('MessageStream') ?? 'outbound',
      files: attachments.map(({ filename }) => filename),
    },
  };
}

function shown({ name, address }: ListedAddress) {
  return { Email: address, Name: name ?? '' };
}

function contentIn(given: BodyFields): Content {
  const [html, text] = [given.text('HtmlBody'), given.text('TextBody')];
  if (isMissing(html) && isMissing(text)) throw refuseWith(300, 'Provide either email TextBody or HtmlBody or both.');
  if ((html ?? '').length > LONGEST_BODY || (text ?? '').length > LONGEST_BODY)
    throw refuseWith(300, 'The body of the email is over 5 MB.');
  return { html, text, subject: given.text('Subject') ?? '' };
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
