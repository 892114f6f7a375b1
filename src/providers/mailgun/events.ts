import { createHmac } from 'node:crypto';
import { domainIn } from '../../domain/address.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import { idOfText } from '../calls.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { emailData } from '../send.ts';
import { agent, BOUNCED, eventId, webhookEvents } from '../webhook-events.ts';

/** The names of the webhooks that get the events, and of the events themselves. */
const NAMES = {
  sent: { webhook: 'accepted', event: 'accepted' },
  delivered: { webhook: 'delivered', event: 'delivered' },
  bounced: { webhook: 'permanent_fail', event: 'failed' },
  suppressed: { webhook: 'permanent_fail', event: 'failed' },
  complained: { webhook: 'complained', event: 'complained' },
  opened: { webhook: 'opened', event: 'opened' },
  clicked: { webhook: 'clicked', event: 'clicked' },
  unsubscribed: { webhook: 'unsubscribed', event: 'unsubscribed' },
} satisfies Partial<Record<EmailEvent['type'], { webhook: string; event: string }>>;

/** Tries again for eight hours, unless the answer is 406: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-retries */
const DELAYS = [300, 600, 900, 3_600, 7_200, 14_400];

export type MailgunEventType = keyof typeof NAMES;

/** Describes an event, as the webhooks and `GET /v3/{domain}/events` have it. */
export function eventData(
  type: MailgunEventType,
  record: ProviderRecord,
  recipient: string,
  at: number,
  { link, reason }: Pick<EmailEvent, 'link' | 'reason'> = {},
) {
  const { fields, messageId } = emailData(record);
  const { event } = NAMES[type];
  const isComplaint = reason === 'complaint';
  return {
    id: eventId({ record, type }, recipient, at),
    event,
    timestamp: at / 1_000,
    'log-level': event === 'failed' ? 'error' : 'info',
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
    ...(event === 'failed' && { severity: 'permanent' }),
    ...(type === 'bounced' && {
      reason: 'bounce',
      'delivery-status': { code: 550, message: BOUNCED.slice(4), 'attempt-no': 1 },
    }),
    ...(type === 'suppressed' && {
      reason: isComplaint ? 'suppress-complaint' : 'suppress-bounce',
      'delivery-status': { code: isComplaint ? 607 : 605, message: '', 'attempt-no': 1 },
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
export const mailgunEvents = webhookEvents({
  names: NAMES,
  wants: (data, { webhook }, { record }) =>
    data['name'] === webhook && data['domain'] === emailData(record).fields['domain'],
  write: ({ type, record, email, now, ...more }) => ({
    'event-data': eventData(type as MailgunEventType, record, email, now, more),
  }),
  request: (data) => ({
    ...{ url: String(data['url']), headers: agent('mailgun/treq-0.1'), delays: DELAYS, ends: [406, 406] },
  }),
});

/** Signs a try: its signature is in the body, over the time and a token. */
export function signMailgun(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  const signature = signatureOf(String(data['signingKey']), String(event.body), now);
  const given = JSON.parse(String(event.body)) as object;
  return { ...event, body: JSON.stringify({ signature, ...given }) };
}

/** Signs the time and a token that is made of a text. */
export function signatureOf(key: string, text: string, now: number) {
  const timestamp = String(Math.floor(now / 1_000));
  const token = idOfText(`${text} ${now}`, 50);
  const signed = createHmac('sha256', key).update(timestamp + token);
  return { timestamp, token, signature: signed.digest('hex') };
}
