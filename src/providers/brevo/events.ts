import type { ProviderRecord } from '../../domain/provider.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { agent, BOUNCED, webhookEvents } from '../webhook-events.ts';

/** Writes an event as Brevo sends it, one for each recipient. Brevo signs nothing: a webhook may have a token and headers. */
export const brevoEvents = webhookEvents({
  // The events that a webhook can ask for, and how the event names itself.
  names: {
    sent: { asked: ['request', 'sent'], written: 'request' },
    delivered: { asked: ['delivered'], written: 'delivered' },
    bounced: { asked: ['hardBounce'], written: 'hard_bounce' },
    complained: { asked: ['spam'], written: 'spam' },
    suppressed: { asked: ['blocked'], written: 'blocked' },
    opened: { asked: ['opened', 'uniqueOpened'], written: 'opened' },
    clicked: { asked: ['click'], written: 'click' },
    unsubscribed: { asked: ['unsubscribed'], written: 'unsubscribed' },
  },
  wants: (data, { asked }) => asked.some((one) => wantedBy(data).includes(one)),
  write: ({ name: { written }, type, email, messageId, fields, link, webhook, now }) => ({
    event: written === 'opened' && !wantedBy(webhook.data).includes('opened') ? 'unique_opened' : written,
    email,
    id: numberOf(webhook),
    date: new Date(now).toISOString().slice(0, 19).replace('T', ' '),
    ...{ ts: Math.floor(now / 1_000), ts_event: Math.floor(now / 1_000), ts_epoch: now },
    ...{ 'message-id': messageId, subject: fields['subject'] },
    ...{ tags: fields['tags'], tag: JSON.stringify(fields['tags']), sending_ip: '127.0.0.1' },
    ...(isText(fields['custom']) && { 'X-Mailin-custom': fields['custom'] }),
    ...(fields['templateId'] !== null && { template_id: fields['templateId'] }),
    ...(type === 'bounced' && { reason: BOUNCED }),
    ...(type === 'suppressed' && { reason: 'blocked : due to blacklist user' }),
    ...(type === 'clicked' && { link }),
  }),
  request: (data) => ({ url: String(data['url']), headers: headersOf(data) }),
});

function wantedBy(data: ProviderRecord['data']): readonly string[] {
  return data['events'] as readonly string[];
}

function headersOf(data: ProviderRecord['data']): (readonly [string, string])[] {
  const token = fieldOf(objectOf(data['auth']) ?? {}, 'token');
  const given = (data['headers'] ?? []) as readonly { key: string; value: string }[];
  return [
    ...agent('Brevo-Webhook'),
    ...(isText(token) ? [['Authorization', `Bearer ${token}`] as const] : []),
    ...given.map(({ key, value }) => [key, value] as const),
  ];
}
