import { createHash, createHmac } from 'node:crypto';
import { domainIn } from '../../domain/address.ts';
import { isInteraction, type ProviderRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { emailData, recipientsOf } from '../send.ts';

/** The names of the webhooks that get the events, and of the events themselves. */
const NAMES = {
  sent: ['accepted', 'accepted'],
  delivered: ['delivered', 'delivered'],
  bounced: ['permanent_fail', 'failed'],
  suppressed: ['permanent_fail', 'failed'],
  complained: ['complained', 'complained'],
  opened: ['opened', 'opened'],
  clicked: ['clicked', 'clicked'],
  unsubscribed: ['unsubscribed', 'unsubscribed'],
} as const satisfies Partial<Record<EmailEvent['type'], readonly [webhook: string, event: string]>>;

export type MailgunEventType = keyof typeof NAMES;

export function isMailgunEvent(type: string): type is MailgunEventType {
  return Object.hasOwn(NAMES, type);
}

/** Describes an event, as the webhooks and `GET /v3/{domain}/events` have it. */
export function eventData(
  type: MailgunEventType,
  record: ProviderRecord,
  recipient: string,
  at: number,
  { link, reason }: Pick<EmailEvent, 'link' | 'reason'> = {},
) {
  const { fields, messageId } = emailData(record);
  return {
    id: createHash('sha256')
      .update(`${record.id} ${type} ${recipient}${isInteraction(type) ? ` ${at}` : ''}`)
      .digest('base64url')
      .slice(0, 22),
    event: NAMES[type][1],
    timestamp: at / 1_000,
    'log-level': NAMES[type][1] === 'failed' ? 'error' : 'info',
    recipient,
    'recipient-domain': domainIn(recipient),
    tags: fields['tags'],
    'user-variables': fields['variables'],
    envelope: { sender: fields['from'], targets: recipient, transport: 'smtp' },
    message: {
      headers: {
        ...{ to: recipient, from: fields['from'], subject: fields['subject'], 'message-id': messageId.slice(1, -1) },
      },
    },
    flags: { 'is-test-mode': false },
    ...(type === 'bounced' && {
      severity: 'permanent',
      reason: 'bounce',
      'delivery-status': { code: 550, message: '5.1.1 The simulator knows no such user', 'attempt-no': 1 },
    }),
    ...(type === 'suppressed' && {
      severity: 'permanent',
      reason: reason === 'complaint' ? 'suppress-complaint' : 'suppress-bounce',
      'delivery-status': { code: reason === 'complaint' ? 607 : 605, message: '', 'attempt-no': 1 },
    }),
    ...(type === 'clicked' && { url: link }),
    ...((type === 'opened' || type === 'clicked' || type === 'unsubscribed') && {
      ip: '127.0.0.1',
      'client-info': { 'client-name': 'mailcap', 'client-type': 'browser', 'user-agent': READER },
    }),
    ...(type === 'delivered' && { 'delivery-status': { code: 250, message: 'OK', 'attempt-no': 1 } }),
  };
}

/** Writes an event as Mailgun sends it, one for each recipient. */
export function mailgunEvents(happened: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record } = happened;
  const { domain, name, url } = webhook.data;
  if (!isMailgunEvent(type) || name !== NAMES[type][0] || domain !== emailData(record).fields['domain']) return [];
  return recipientsOf(happened).map((recipient) => ({
    url: String(url),
    body: JSON.stringify({ 'event-data': eventData(type, record, recipient, now, happened) }),
    headers: [['User-Agent', 'mailgun/treq-0.1']],
  }));
}

/** Signs a try: its signature is in the body, over the time and a token. */
export function signMailgun(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  const signature = signatureOf(String(data['signingKey']), String(event.body), now);
  const given = JSON.parse(String(event.body)) as object;
  return { ...event, body: JSON.stringify({ signature, ...given }) };
}

/** Signs the time and a token that is made of a text. */
export function signatureOf(key: string, text: string, now: number) {
  const timestamp = String(Math.floor(now / 1_000));
  const token = createHash('sha256').update(`${text} ${now}`).digest('hex').slice(0, 50);
  const signed = createHmac('sha256', key).update(timestamp + token);
  return { timestamp, token, signature: signed.digest('hex') };
}
