import { comparableAddress } from '../../domain/address.ts';
import type { ListedAddress } from '../../domain/address-list.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newHexId, oneByOne } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { isText, type JsonObject } from '../fields.ts';
import type { FileForm } from '../parts.ts';
import { type AskedMail, dueIn } from '../send.ts';
import { type Content, mergedContent } from '../templates.ts';
import { refuseMailersend } from './errors.ts';

// The body of `POST /v1/email`, checked as MailerSend checks it.

/** The recipients in To, and in each of Cc and Bcc, at most. */
const MOST_TO = 50;
const MOST_COPIES = 10;
/** MailerSend schedules up to three days ahead. */
const LONGEST_MS = 72 * 3_600_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: null, contentId: ['id'], disposition: 'disposition' },
  mostBytes: 25 * 1024 * 1024,
};

/** Reads the mails of a request: one, or with personalization one for each of `to`. Throws a refusal of MailerSend. */
export async function mailersendMails(
  call: DoorCall,
  given: BodyFields,
  template: ProviderRecord | null,
  now: number,
): Promise<AskedMail[]> {
  const from = given.requiredPerson('from');
  const { to, cc, bcc } = given.recipients(MOST_TO + 2 * MOST_COPIES, MOST_TO, MOST_COPIES);
  if (to.length === 0) throw given.refuse('to', 'missing');
  const replyTo = given.person('reply_to');
  const tags = given.lines('tags', 5, 191);
  const added = given.headers('headers');
  const attachments = given.files('attachments', FILES);
  const told = [...headersNamed('X-MailerSend-Tag', tags), ...threadHeaders(given)];
  const dueAt = given.lacks('send_at') ? undefined : dueTime(given.raw('send_at'), now);
  const values = personalizationIn(given);
  const content = contentIn(given, template);
  if (values !== null && [content.subject, content.html, content.text].some((part) => part?.includes('{%')))
    throw refuseMailersend('personalization', 'mailcap merges {{ name }} alone, and no {% … %}.');
  const build = (recipients: readonly ListedAddress[], data: JsonObject | null): AskedMail => {
    const id = newHexId(call);
    const refuse = (reason: string) => refuseMailersend('personalization', reason);
    const made = data === null ? content : mergedContent(call, content, data, refuse);
    const mail = builtMail({
      ...{ id, messageId: `<${id}@mailersend.net>`, from, to: recipients, cc, bcc, replyTo, ...made },
      ...{ added, told, attachments },
    });
    return { mail, dueAt, fields: { from: from.address, subject: made.subject, tags } };
  };
  if (values === null) return [build(to, template === null ? null : {})];
  return oneByOne(to, (one) => build([one], values.get(comparableAddress(one.address)) ?? {}));
}

function threadHeaders(given: BodyFields) {
  const headers = [
    ['In-Reply-To', given.line('in_reply_to')],
    ['References', given.lines('references', 50).join(' ')],
    ['List-Unsubscribe', given.line('list_unsubscribe')],
    ['Precedence', given.raw('precedence_bulk') === true ? 'bulk' : null],
  ] as const;
  return headers.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

function contentIn(given: BodyFields, template: ProviderRecord | null): Content {
  const { name, html: storedHtml, text: storedText } = template?.data ?? {};
  const subject = given.line('subject', 998) || name;
  if (!isText(subject) || subject === '') throw given.refuse('subject', 'missing');
  const own = (stored: unknown, part: string) => (isText(stored) && stored !== '' ? stored : given.text(part) || null);
  const [html, text] = [own(storedHtml, 'html'), own(storedText, 'text')];
  if (html === null && text === null)
    throw refuseMailersend('text', 'The text field is required when none of template id / html are present.');
  return { subject, html, text };
}

/** Returns the data of recipients, to put in the place of `{{ name }}`, by their addresses; null if there is none. */
function personalizationIn(given: BodyFields): ReadonlyMap<string, JsonObject> | null {
  const list = given.objects('personalization', 1_000);
  if (list.length === 0) return null;
  if (JSON.stringify(given.raw('personalization')).length > 1_000_000)
    throw given.refuse('personalization', 'too_large');
  return new Map(
    list.map((one) => {
      const email = one.line('email');
      if (!email) throw one.refuse('email', 'address');
      if (one.lacks('data')) throw one.refuse('data', 'object');
      return [comparableAddress(email), one.object('data', 1_000_000)];
    }),
  );
}

function dueTime(value: unknown, now: number): number | undefined {
  return dueIn(Number(value) * 1_000, now, LONGEST_MS, () =>
    refuseMailersend('send_at', 'The send_at must be a Unix timestamp within the next 72 hours.'),
  );
}
