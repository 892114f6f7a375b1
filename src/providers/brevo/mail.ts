import type { ProviderRecord } from '../../domain/provider.ts';
import type { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUlid, oneByOne } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { fieldOf, isMissing, isText, objectOf } from '../fields.ts';
import type { FileForm } from '../parts.ts';
import { type AskedMail, dueIn } from '../send.ts';
import { type Content, mergedContent } from '../templates.ts';
import { refuseBrevo } from './errors.ts';

// The body of `POST /v3/smtp/email`, checked as Brevo checks it.

/** The recipients of a version, and of a request, at most. */
const MOST_OF_VERSION = 99;
const MOST_OF_REQUEST = 2_000;
/** Brevo schedules up to three days ahead. */
const LONGEST_MS = 72 * 3_600_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'name', type: null, contentId: [], disposition: null },
  mostBytes: 15 * 1024 * 1024,
};

/** Reads the mails of a request: one, or one for each of its versions. Throws a refusal of Brevo. */
export async function brevoMails(
  call: DoorCall,
  given: BodyFields,
  template: ProviderRecord | null,
  now: number,
): Promise<AskedMail[]> {
  if (given.lacks('messageVersions')) return [mailOf(call, given, given, template, now)];
  const versions = given.objects('messageVersions', MOST_OF_REQUEST);
  if (versions.length === 0) throw given.refuse('messageVersions', 'list');
  // A version has fields of its own in the place of the request's.
  const mails = await oneByOne(versions, (version) => mailOf(call, version.over(given.fields), given, template, now));
  if (mails.reduce((sum, { mail }) => sum + mail.recipients.length, 0) > MOST_OF_REQUEST)
    throw given.refuse('messageVersions', 'too_many');
  return mails;
}

/** Reads a mail. `given` has the fields of a version; `whole` is the request. */
function mailOf(
  call: DoorCall,
  given: BodyFields,
  whole: BodyFields,
  template: ProviderRecord | null,
  now: number,
): AskedMail {
  if (!given.inside('sender').lacks('id'))
    throw refuseBrevo('mailcap keeps no senders: give the email of the sender instead of its id');
  const from = (given.lacks('sender') ? given.over({ ...template?.data }) : given).person('sender');
  if (from === null) throw given.refuse('sender', 'missing');
  const { to, cc, bcc, recipients } = given.recipients(3 * MOST_OF_VERSION, MOST_OF_VERSION);
  if (to.length === 0) throw given.refuse('to', 'missing');
  if (recipients.length > MOST_OF_VERSION) throw given.refuse('to', 'too_many');
  const replyTo = given.person('replyTo');
  const content = contentOf(call, given, whole, template, to[0]?.address ?? '');
  const tags = given.lines('tags', 50);
  const id = newUlid(call);
  const mail = builtMail({
    ...{ id, messageId: `<${id.toLowerCase()}@smtp-relay.mailin.fr>`, from, to, cc, bcc, replyTo, ...content },
    ...{ added: given.headers('headers'), told: headersNamed('X-Mailin-Tag', tags) },
    attachments: attachmentsIn(given),
  });
  const batchId = given.text('batchId')?.slice(0, 100) ?? null;
  const custom = given.inside('headers').raw('X-Mailin-custom') ?? null;
  const templateId = given.raw('templateId') ?? null;
  const fields = { from: from.address, subject: content.subject, tags, batchId, custom, templateId };
  return { mail, fields, dueAt: dueTime(given.text('scheduledAt'), now) };
}

/** The content of a template counts if there is one; `{{ params.name }}` is merged in either. */
function contentOf(
  call: DoorCall,
  given: BodyFields,
  whole: BodyFields,
  template: ProviderRecord | null,
  email: string,
): Content {
  const params = { ...whole.object('params'), ...given.object('params') };
  const { subject: storedSubject, htmlContent } = template?.data ?? {};
  const subject = given.line('subject') || storedSubject;
  const html = (template === null ? given.text('htmlContent') : htmlContent) || null;
  const text = template === null ? given.text('textContent') || null : null;
  if (!isText(subject)) throw given.refuse('subject', 'missing');
  if (!isText(html) && text === null) throw given.refuse('htmlContent', 'missing');
  if (template === null && given.lacks('params')) return { subject, html: isText(html) ? html : null, text };
  for (const part of [subject, html, text]) if (isText(part)) checkLanguage(part);
  return mergedContent(call, { subject, html, text }, { params, contact: { EMAIL: email } }, refuseBrevo);
}

/** Refuses the statements of Brevo's template language: mailcap merges its variables alone. */
export function checkLanguage(text: string): void {
  if (text.includes('{%')) throw refuseBrevo('mailcap merges {{ params.name }} alone, and no {% … %}');
}

function attachmentsIn(given: BodyFields) {
  const value = given.raw('attachment');
  if (Array.isArray(value) && value.some((one) => !isMissing(fieldOf(objectOf(one) ?? {}, 'url'))))
    throw refuseBrevo('mailcap fetches no file from a URL: send the content of the attachment');
  return given.files('attachment', FILES);
}

function dueTime(text: string | null, now: number): number | undefined {
  if (text === null || text === '') return undefined;
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && text.length <= 40 ? Date.parse(text) : Number.NaN;
  return dueIn(time, now, LONGEST_MS, (wrong) =>
    wrong === 'no_time'
      ? refuseBrevo('scheduledAt is not a date-time of the form YYYY-MM-DDTHH:mm:ss.SSSZ')
      : refuseBrevo('scheduledAt is more than 72 hours ahead'),
  );
}
