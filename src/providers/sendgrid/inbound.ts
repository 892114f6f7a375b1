import { domainIn } from '../../domain/address.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { textsInCharsets } from '../../mail/texts-in-charsets.ts';
import type { DoorCall, OutgoingEvent } from '../door.ts';
import { isText } from '../fields.ts';
import { type FormPart, fileFields, writtenForm } from '../inbound/form.ts';
import type { InboundMail } from '../inbound/mail.ts';
import type { Resource } from '../resources.ts';
import { refuseSendgrid, sendgridBody } from './errors.ts';

// SendGrid's Inbound Parse: mail for a host name comes to the app as a form.
// https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook

/** Tries again for three days: every five minutes at first, and every three hours later. */
const DELAYS = [300, 300, 300, 300, 300, 600, 900, 1_800, 3_600, ...Array<number>(23).fill(10_800)];

const NO_TEXTS = { text: null, html: null };

/** The rules that take mail for a recipient: those of its domain. */
export function sendgridRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  return rules.filter((rule) => keyOfRecord(rule) === domainIn(recipient).toLowerCase());
}

/** Writes a mail as Inbound Parse posts it. */
export async function sendgridInbound(mail: InboundMail, { data }: ProviderRecord): Promise<OutgoingEvent> {
  const { parsed, headerText, raw, from, to } = mail;
  const isRaw = data['send_raw'] === true;
  const own = isRaw ? NO_TEXTS : textsInCharsets(raw);
  const [text, html] = isRaw ? [null, null] : [own.text?.bytes ?? parsed.textBody, own.html?.bytes ?? parsed.htmlBody];
  // The header fields are in UTF-8, and the texts in the charsets of the mail.
  const charsets = {
    ...{ to: 'UTF-8', subject: 'UTF-8', from: 'UTF-8', ...(parsed.cc !== null && { cc: 'UTF-8' }) },
    ...(text !== null && { text: own.text?.charset ?? 'UTF-8' }),
    ...(html !== null && { html: own.html?.charset ?? 'UTF-8' }),
  };
  const isChecked = data['spam_check'] === true;
  const parts: FormPart[] = [
    isRaw ? ['email', raw] : ['headers', headerText],
    ['dkim', 'none'],
    ['to', parsed.to],
    ['cc', parsed.cc],
    ['from', parsed.from],
    ['subject', parsed.subject ?? ''],
    ['text', text],
    ['html', html],
    ['sender_ip', '127.0.0.1'],
    ['envelope', JSON.stringify({ to, from })],
    ['charsets', JSON.stringify(charsets)],
    ['SPF', 'none'],
    ['spam_score', isChecked ? '0.0' : null],
    ['spam_report', isChecked ? '' : null],
    ...(isRaw ? [] : filesOf(mail)),
  ];
  const { type, body } = writtenForm(parts, true);
  const headers = [['Content-Type', type] as const, ['User-Agent', 'Sendlib/1.0 server.sendgrid.net'] as const];
  // SendGrid drops a mail that the app refuses, and tries again after a failure of the server.
  return { url: String(data['url']), body, headers, delays: DELAYS, ends: [300, 499] };
}

function filesOf({ files }: InboundMail): FormPart[] {
  const { named, shown } = fileFields(files, 'attachment');
  const info = named.map(([field, { name, type, contentId }]) => [
    field,
    { filename: name, name, type, ...(contentId !== null && { 'content-id': contentId }) },
  ]);
  return [
    ['attachments', String(files.length)],
    ['attachment-info', files.length === 0 ? null : JSON.stringify(Object.fromEntries(info))],
    ['content-ids', shown.length === 0 ? null : JSON.stringify(Object.fromEntries(shown))],
    ...named,
  ];
}

function hostnameIn(call: DoorCall): string {
  const hostname = sendgridBody(call).raw('hostname');
  if (!isText(hostname) || !/^[a-z0-9.-]{1,253}$/i.test(hostname))
    throw refuseSendgrid('The hostname is missing or not valid.', 'hostname');
  return hostname.toLowerCase();
}

/** The settings of Inbound Parse. */
export const parseSettings: Resource = {
  kind: 'rules',
  path: '/v3/user/webhooks/parse/settings',
  changesBy: 'PATCH',
  keys: hostnameIn,
  notFound: () => refuseSendgrid('resource not found', null, 404),
  exists: () => refuseSendgrid('Duplicate hostname.', 'hostname'),
  read: (call, before) => {
    const given = sendgridBody(call).over(before?.data);
    const [spam_check, send_raw] = [given.raw('spam_check') === true, given.raw('send_raw') === true];
    return { url: given.url('url'), spam_check, send_raw };
  },
  show: (rule) => ({ hostname: keyOfRecord(rule), ...rule.data }),
  list: (result) => ({ result }),
};
