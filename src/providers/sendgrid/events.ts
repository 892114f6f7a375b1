import { createHash, createPrivateKey, sign } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { emailData } from '../send.ts';

const NAMES = { sent: 'processed', delivered: 'delivered', bounced: 'bounce', complained: 'spam_report' } as const;

/** Writes an event as SendGrid's event webhook sends it, signed by ECDSA if the app asked for that. */
export function sendgridEvent(
  { type, record, mail, address }: EmailEvent,
  webhook: ProviderRecord,
  now: number,
): OutgoingEvent | null {
  if (type !== 'sent' && type !== 'delivered' && type !== 'bounced' && type !== 'complained') return null;
  const event = NAMES[type];
  if (webhook.data['enabled'] !== true || webhook.data[event] !== true) return null;
  const { fields } = emailData(record);
  const timestamp = Math.floor(now / 1_000);
  const id = `${keyOfRecord(record)}.recvd-mailcap-1`;
  const base = { timestamp, 'smtp-id': mail?.messageId, sg_message_id: id, category: fields['categories'] };
  // SendGrid tells of each recipient by itself.
  const recipients = address === null ? (mail?.recipients ?? []) : [address];
  const events = recipients.map((email) => ({
    ...(fields['customArgs'] as object),
    ...base,
    email,
    event,
    sg_event_id: createHash('sha256').update(`${record.id} ${event} ${email}`).digest('base64url').slice(0, 22),
    ...(event === 'delivered' && { response: '250 2.0.0 Ok' }),
    ...(event === 'bounce' && {
      type: 'bounce',
      bounce_classification: 'Invalid Address',
      reason: '550 5.1.1 The simulator knows no such user',
      status: '5.1.1',
    }),
  }));
  // A line break ends the body, and it is signed too.
  const body = `${JSON.stringify(events)}\r\n`;
  return {
    url: String(webhook.data['url']),
    body,
    scheme: 'none',
    secret: null,
    headers: headersOf(webhook, body, timestamp),
  };
}

function headersOf({ data }: ProviderRecord, body: string, timestamp: number): [string, string][] {
  const agent: [string, string] = ['User-Agent', 'SendGrid Event API'];
  if (typeof data['privateKey'] !== 'string' || data['isSigned'] !== true) return [agent];
  const key = createPrivateKey({ key: Buffer.from(data['privateKey'], 'base64'), format: 'der', type: 'pkcs8' });
  const signature = sign('sha256', Buffer.from(`${timestamp}${body}`), key).toString('base64');
  return [
    agent,
    ['X-Twilio-Email-Event-Webhook-Signature', signature],
    ['X-Twilio-Email-Event-Webhook-Timestamp', String(timestamp)],
  ];
}
