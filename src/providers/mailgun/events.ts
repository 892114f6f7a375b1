import { createHash, createHmac } from 'node:crypto';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { emailData } from '../send.ts';

/** The names of the events, and of the webhooks that get them. */
const WEBHOOKS = {
  sent: 'accepted',
  delivered: 'delivered',
  bounced: 'permanent_fail',
  complained: 'complained',
} as const;
const NAMES = { sent: 'accepted', delivered: 'delivered', bounced: 'failed', complained: 'complained' } as const;

export type MailgunEventType = keyof typeof NAMES;

/** Describes an event, as the webhooks and `GET /v3/{domain}/events` have it. */
export function eventData(type: MailgunEventType, record: ProviderRecord, recipient: string, at: number) {
  const { fields } = emailData(record);
  const messageId = String(fields['messageId']).slice(1, -1);
  return {
    id: createHash('sha256').update(`${record.id} ${type} ${recipient}`).digest('base64url').slice(0, 22),
    event: NAMES[type],
    timestamp: at / 1_000,
    'log-level': type === 'bounced' ? 'error' : 'info',
    recipient,
    'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
    tags: fields['tags'],
    'user-variables': fields['variables'],
    envelope: { sender: fields['from'], targets: recipient, transport: 'smtp' },
    message: { headers: { to: recipient, from: fields['from'], subject: fields['subject'], 'message-id': messageId } },
    flags: { 'is-test-mode': false },
    ...(type === 'bounced' && {
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { code: 550, message: '5.1.1 The simulator knows no such user', 'attempt-no': 1 },
    }),
    ...(type === 'delivered' && { 'delivery-status': { code: 250, message: 'OK', 'attempt-no': 1 } }),
  };
}

/** Writes an event as Mailgun sends it, with its signature in the body. */
export function mailgunEvent(
  { type, record, mail, address }: EmailEvent,
  webhook: ProviderRecord,
  now: number,
): OutgoingEvent | null {
  if (type !== 'sent' && type !== 'delivered' && type !== 'bounced' && type !== 'complained') return null;
  const { fields } = emailData(record);
  const { domain, name, url, signingKey } = webhook.data;
  if (name !== WEBHOOKS[type] || domain !== fields['domain']) return null;
  const recipient = address ?? mail?.recipients[0] ?? '';
  const timestamp = String(Math.floor(now / 1_000));
  const token = createHash('sha256')
    .update(`${webhook.id} ${record.id} ${type} ${recipient}`)
    .digest('hex')
    .slice(0, 50);
  const signature = createHmac('sha256', String(signingKey))
    .update(timestamp + token)
    .digest('hex');
  const body = { signature: { timestamp, token, signature }, 'event-data': eventData(type, record, recipient, now) };
  return {
    url: String(url),
    body: JSON.stringify(body),
    scheme: 'none',
    secret: null,
    headers: [['User-Agent', 'mailgun/treq-0.1']],
  };
}
