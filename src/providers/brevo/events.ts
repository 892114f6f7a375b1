import type { ProviderRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { emailData, recipientsOf } from '../send.ts';

/** The events that a webhook can ask for, and how the event names itself. */
const NAMES = {
  sent: [['request', 'sent'], 'request'],
  delivered: [['delivered'], 'delivered'],
  bounced: [['hardBounce'], 'hard_bounce'],
  complained: [['spam'], 'spam'],
  suppressed: [['blocked'], 'blocked'],
  opened: [['opened', 'uniqueOpened'], 'opened'],
  clicked: [['click'], 'click'],
  unsubscribed: [['unsubscribed'], 'unsubscribed'],
} as const satisfies Partial<Record<EmailEvent['type'], readonly [asked: readonly string[], written: string]>>;

/** Writes an event as Brevo sends it, one for each recipient. Brevo signs nothing: a webhook may have a token and headers. */
export function brevoEvents(event: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, link } = event;
  if (!Object.hasOwn(NAMES, type)) return [];
  const [asked, written] = NAMES[type as keyof typeof NAMES];
  const wanted = webhook.data['events'] as readonly string[];
  if (!asked.some((one) => wanted.includes(one))) return [];
  const { fields, messageId } = emailData(record);
  const seconds = Math.floor(now / 1_000);
  return recipientsOf(event).map((email) => ({
    url: String(webhook.data['url']),
    body: JSON.stringify({
      event: written === 'opened' && !wanted.includes('opened') ? 'unique_opened' : written,
      email,
      id: numberOf(webhook),
      date: new Date(now).toISOString().slice(0, 19).replace('T', ' '),
      ...{ ts: seconds, ts_event: seconds, ts_epoch: now, 'message-id': messageId, subject: fields['subject'] },
      ...{ tags: fields['tags'], tag: JSON.stringify(fields['tags']), sending_ip: '127.0.0.1' },
      ...(isText(fields['custom']) && { 'X-Mailin-custom': fields['custom'] }),
      ...(fields['templateId'] !== null && { template_id: fields['templateId'] }),
      ...(type === 'bounced' && { reason: '550 5.1.1 The simulator knows no such user' }),
      ...(type === 'suppressed' && { reason: 'blocked : due to blacklist user' }),
      ...(type === 'clicked' && { link }),
    }),
    ...{ scheme: 'none', secret: null, headers: headersOf(webhook) },
  }));
}

function headersOf({ data }: ProviderRecord): [string, string][] {
  const auth = objectOf(data['auth']) ?? {};
  const token = fieldOf(auth, 'token');
  const given = (data['headers'] ?? []) as readonly { key: string; value: string }[];
  return [
    ['User-Agent', 'Brevo-Webhook'],
    ...(isText(token) ? [['Authorization', `Bearer ${token}`] as [string, string]] : []),
    ...given.map(({ key, value }): [string, string] => [key, value]),
  ];
}
