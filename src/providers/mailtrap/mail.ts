import type { BodyFields } from '../body-fields.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUuid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import type { FileForm } from '../parts.ts';
import { allRecords } from '../resources.ts';
import type { AskedMail } from '../send.ts';
import { type Content, mergedContent } from '../templates.ts';
import { refuseMailtrap } from './errors.ts';

// The body of `POST /api/send`, checked as Mailtrap checks it.

const MOST_RECIPIENTS = 1_000;
const LONGEST_VARIABLES = 1_000;
const FILES: FileForm = {
  ...{ content: 'content', filename: 'filename', type: 'type', contentId: ['content_id'], disposition: 'disposition' },
  mostBytes: 20 * 1024 * 1024,
};

/** Reads a mail. Throws a refusal of Mailtrap. */
export async function mailtrapMail(call: DoorCall, given: BodyFields): Promise<AskedMail> {
  const from = given.person('from');
  if (from === null) throw given.refuse('from', 'missing');
  const { to, cc, bcc } = given.recipients(MOST_RECIPIENTS);
  if (to.length + cc.length + bcc.length === 0) throw given.refuse('to', 'missing');
  // In a batch the SDK allows a list.
  const replyTo = Array.isArray(given.raw('reply_to')) ? given.people('reply_to', 10) : given.person('reply_to');
  const content = await contentOf(call, given);
  const category = given.line('category', 255);
  const variables = given.object('custom_variables', LONGEST_VARIABLES);
  const id = newUuid(call);
  const mail = builtMail({
    ...{ id, messageId: `<${id}@mailtrap.io>`, from, to, cc, bcc, replyTo, ...content },
    ...{ added: given.headers('headers'), attachments: given.files('attachments', FILES) },
    told: [
      ...headersNamed('X-MT-Category', category ? [category] : []),
      ...headersNamed('X-MT-Custom-Variables', Object.keys(variables).length > 0 ? [JSON.stringify(variables)] : []),
    ],
  });
  return { mail, fields: { from: from.address, domain: from.domain, subject: content.subject, category, variables } };
}

async function contentOf(call: DoorCall, given: BodyFields): Promise<Content> {
  if (!given.lacks('template_uuid')) {
    for (const name of ['subject', 'text', 'html', 'category'])
      if (!given.lacks(name)) throw refuseMailtrap(`'${name}' is not allowed with 'template_uuid'`);
    const uuid = given.raw('template_uuid');
    const record = (await allRecords(call, 'templates')).find(({ data }) => data['uuid'] === uuid);
    if (record === undefined) throw refuseMailtrap('Template not found');
    const { subject, body_html, body_text } = record.data;
    const parts = { subject, html: body_html, text: body_text };
    return mergedContent(call, parts, given.object('template_variables'), refuseMailtrap);
  }
  const subject = given.requiredLine('subject');
  const [text, html] = [given.text('text') || null, given.text('html') || null];
  if (text === null && html === null) throw refuseMailtrap("must specify either 'text' or 'html' body");
  return { subject, text, html };
}
