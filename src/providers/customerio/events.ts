import { createHmac } from 'node:crypto';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { OutgoingEvent } from '../door.ts';
import { agent, BOUNCED, webhookEvents } from '../webhook-events.ts';

/** Writes an event as a reporting webhook of Customer.io sends it, one for each recipient. */
export const customerioEvents = webhookEvents({
  names: {
    sent: 'sent',
    delivered: 'delivered',
    bounced: 'bounced',
    complained: 'spammed',
    suppressed: 'dropped',
    failed: 'failed',
    opened: 'opened',
    clicked: 'clicked',
    unsubscribed: 'unsubscribed',
  },
  wants: (data, metric) =>
    data['disabled'] !== true && (data['events'] as readonly string[]).includes(`email_${metric}`),
  write: ({ name: metric, type, id, email: recipient, fields, link, now }) => ({
    ...{ event_id: `${id}-${metric}-${recipient}`, object_type: 'email', metric, timestamp: Math.floor(now / 1_000) },
    data: {
      ...{ delivery_id: id, recipient, subject: fields['subject'], identifiers: fields['identifiers'] },
      ...(fields['template'] !== null && { transactional_message_id: fields['template'] }),
      ...(type === 'clicked' && { href: link }),
      ...(type === 'bounced' && { failure_message: BOUNCED }),
      ...(type === 'suppressed' && { failure_message: 'suppressed' }),
    },
  }),
  request: (data) => ({ url: String(data['endpoint']), headers: agent('Customer.io Webhooks') }),
});

/** Signs a try by an HMAC over its time and the body. */
export function signCustomerio(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  const timestamp = String(Math.floor(now / 1_000));
  const signed = createHmac('sha256', String(data['signing_secret'])).update(`v0:${timestamp}:${event.body}`);
  const own = [['X-CIO-Timestamp', timestamp] as const, ['X-CIO-Signature', signed.digest('hex')] as const];
  return { ...event, headers: [...event.headers, ...own] };
}
