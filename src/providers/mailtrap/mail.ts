import { distinctAddresses } from '../../domain/address-list.ts';
import { uuid7Of } from '../../domain/provider.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject } from '../fields.ts';
import { addedHeaders, type FileForm, filesIn, lineIn, objectIn, optionalText, peopleIn, personIn } from '../parts.ts';
import { allRecords } from '../resources.ts';
import type { AskedMail } from '../send.ts';
import { oneLine, orRefuse, renderTemplate } from '../templates.ts';
import { refuseMailtrap, refuseMailtrapField } from './errors.ts';

// The body of `POST /api/send`, checked as Mailtrap checks it.

const MOST_RECIPIENTS = 1_000;
const LONGEST_VARIABLES = 1_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: 'type', contentId: ['content_id'], disposition: 'disposition' },
  mostBytes: 20 * 1024 * 1024,
};

/** Reads a mail. Throws a refusal of Mailtrap. */
export async function mailtrapMail(call: DoorCall, given: JsonObject): Promise<AskedMail> {
  const from = personIn(fieldOf(given, 'from'), 'from', refuseMailtrapField);
  if (from === null) throw refuseMailtrapField('from', 'missing');
  const to = peopleIn(fieldOf(given, 'to'), 'to', refuseMailtrapField, MOST_RECIPIENTS);
  const cc = peopleIn(fieldOf(given, 'cc'), 'cc', refuseMailtrapField, MOST_RECIPIENTS);
  const bcc = peopleIn(fieldOf(given, 'bcc'), 'bcc', refuseMailtrapField, MOST_RECIPIENTS);
  const recipients = distinctAddresses([...to, ...cc, ...bcc]);
  if (recipients.length === 0) throw refuseMailtrapField('to', 'missing');
  if (to.length + cc.length + bcc.length > MOST_RECIPIENTS) throw refuseMailtrapField('to', 'too_many');
  // The documents call it `reply_to`; in a batch the SDK allows a list.
  const answers = fieldOf(given, 'reply_to');
  const replyTo = Array.isArray(answers) ? peopleIn(answers, 'reply_to', refuseMailtrapField, 10) : [];
  const one = Array.isArray(answers) ? null : personIn(answers, 'reply_to', refuseMailtrapField);
  const content = await contentOf(call, given);
  const category = lineIn(given, 'category', refuseMailtrapField, 255);
  const variables = objectIn(given, 'custom_variables', refuseMailtrapField, LONGEST_VARIABLES);
  const { headers, messageId } = addedHeaders(fieldOf(given, 'headers'), 'headers', refuseMailtrapField);
  const id = uuid7Of(newUlid(call));
  const own: (readonly [string, string])[] = [
    ...(category ? [['X-MT-Category', category] as const] : []),
    ...(Object.keys(variables).length > 0 ? [['X-MT-Custom-Variables', JSON.stringify(variables)] as const] : []),
  ];
  const mail = {
    id,
    messageId: messageId ?? `<${id}@mailtrap.io>`,
    ...{ from, to, cc, replyTo: one === null ? replyTo : [one], ...content, recipients },
    attachments: filesIn(fieldOf(given, 'attachments'), 'attachments', FILES, refuseMailtrapField),
    // The category and the variables are in the mail, so that searches find them.
    headers: [...headers, ...own],
    mailFrom: from.address,
  };
  return { mail, fields: { from: from.address, domain: from.domain, subject: content.subject, category, variables } };
}

async function contentOf(call: DoorCall, given: JsonObject) {
  const uuid = fieldOf(given, 'template_uuid');
  if (!isMissing(uuid)) {
    for (const name of ['subject', 'text', 'html', 'category'])
      if (!isMissing(fieldOf(given, name))) throw refuseMailtrap(`'${name}' is not allowed with 'template_uuid'`);
    const record = (await allRecords(call, 'templates')).find(({ data }) => data['uuid'] === uuid);
    if (record === undefined) throw refuseMailtrap('Template not found');
    const data = objectIn(given, 'template_variables', refuseMailtrapField);
    const render = (part: string) => {
      const text = record.data[part];
      if (!isText(text) || text === '') return null;
      const rules = { missing: 'empty', escapes: part === 'body_html' } as const;
      return orRefuse(() => renderTemplate(text, data, rules, call), refuseMailtrap);
    };
    return { subject: oneLine(render('subject') ?? ''), html: render('body_html'), text: render('body_text') };
  }
  const subject = lineIn(given, 'subject', refuseMailtrapField);
  if (!subject) throw refuseMailtrapField('subject', 'missing');
  const [text, html] = [
    optionalText(given, 'text', refuseMailtrapField) || null,
    optionalText(given, 'html', refuseMailtrapField) || null,
  ];
  if (text === null && html === null) throw refuseMailtrap("must specify either 'text' or 'html' body");
  return { subject, text, html };
}
