import { createHash, createPrivateKey, sign } from 'node:crypto';
import { isInteraction, keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { emailData, recipientsOf } from '../send.ts';

const NAMES: Readonly<Partial<Record<EmailEvent['type'], string>>> = {
  sent: 'processed',
  delivered: 'delivered',
  bounced: 'bounce',
  complained: 'spam_report',
  suppressed: 'dropped',
  opened: 'open',
  clicked: 'click',
  unsubscribed: 'unsubscribe',
};

/** Writes an event as SendGrid's event webhook sends it: one request with an entry for each recipient. */
export function sendgridEvents(happened: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, link, reason } = happened;
  const event = NAMES[type];
  if (event === undefined) return [];
  if (webhook.data['enabled'] !== true || webhook.data[event] !== true) return [];
  const { fields, messageId } = emailData(record);
  const timestamp = Math.floor(now / 1_000);
  const sg_message_id = `${keyOfRecord(record)}.recvd-mailcap-1`;
  const base = { timestamp, 'smtp-id': messageId, sg_message_id, category: fields['categories'] };
  // An event of one kind may come more than once, such as the opening of a mail.
  const idOf = (email: string) =>
    createHash('sha256')
      .update(`${record.id} ${event} ${email}${isInteraction(type) ? ` ${now}` : ''}`)
      .digest('base64url')
      .slice(0, 22);
  const events = recipientsOf(happened).map((email) => ({
    ...(fields['customArgs'] as object),
    ...base,
    email,
    event,
    sg_event_id: idOf(email),
    ...(event === 'delivered' && { response: '250 2.0.0 Ok' }),
    ...(event === 'bounce' && {
      type: 'bounce',
      bounce_classification: 'Invalid Address',
      reason: '550 5.1.1 The simulator knows no such user',
      status: '5.1.1',
    }),
    ...(event === 'dropped' && { reason: reason === 'complaint' ? 'Spam Reporting Address' : 'Bounced Address' }),
    ...((event === 'open' || event === 'click') && { useragent: READER, ip: '127.0.0.1' }),
    ...(event === 'open' && { sg_machine_open: false }),
    ...(event === 'click' && { url: link, url_offset: { index: 0, type: 'html' } }),
  }));
  // A line break ends the body, and it is signed too.
  const body = `${JSON.stringify(events)}\r\n`;
  const headers = [['User-Agent', 'SendGrid Event API']] as const;
  return [{ url: String(webhook.data['url']), body, headers }];
}

/** Signs a try by ECDSA over its time and the body, if the app asked for that. */
export function signSendgrid(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  if (typeof data['privateKey'] !== 'string' || data['isSigned'] !== true) return event;
  const timestamp = String(Math.floor(now / 1_000));
  const key = createPrivateKey({ key: Buffer.from(data['privateKey'], 'base64'), format: 'der', type: 'pkcs8' });
  const signature = sign('sha256', Buffer.from(timestamp + event.body), key).toString('base64');
  const headers = [
    ...event.headers,
    ['X-Twilio-Email-Event-Webhook-Signature', signature] as const,
    ['X-Twilio-Email-Event-Webhook-Timestamp', timestamp] as const,
  ];
  return { ...event, headers };
}
