import { createHmac } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { emailData, recipientsOf } from '../send.ts';

/** The metrics of emails that reporting webhooks tell. */
const METRICS: Readonly<Partial<Record<EmailEvent['type'], string>>> = {
  sent: 'sent',
  delivered: 'delivered',
  bounced: 'bounced',
  complained: 'spammed',
  suppressed: 'dropped',
  failed: 'failed',
  opened: 'opened',
  clicked: 'clicked',
  unsubscribed: 'unsubscribed',
};

/** Writes an event as a reporting webhook of Customer.io sends it, one for each recipient. */
export function customerioEvents(event: EmailEvent, { data }: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, link } = event;
  const metric = METRICS[type];
  const wanted = data['events'] as readonly string[];
  if (metric === undefined || data['disabled'] === true || !wanted.includes(`email_${metric}`)) return [];
  const { fields } = emailData(record);
  return recipientsOf(event).map((recipient) => ({
    url: String(data['endpoint']),
    body: JSON.stringify({
      ...{ event_id: `${keyOfRecord(record)}-${metric}-${recipient}`, object_type: 'email', metric },
      timestamp: Math.floor(now / 1_000),
      data: {
        ...{
          delivery_id: keyOfRecord(record),
          recipient,
          subject: fields['subject'],
          identifiers: fields['identifiers'],
        },
        ...(fields['template'] !== null && { transactional_message_id: fields['template'] }),
        ...(type === 'clicked' && { href: link }),
        ...(type === 'bounced' && { failure_message: '550 5.1.1 The simulator knows no such user' }),
        ...(type === 'suppressed' && { failure_message: 'suppressed' }),
      },
    }),
    headers: [['User-Agent', 'Customer.io Webhooks']],
  }));
}

/** Signs a try by an HMAC over its time and the body. */
export function signCustomerio(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  const timestamp = String(Math.floor(now / 1_000));
  const signed = createHmac('sha256', String(data['signing_secret'])).update(`v0:${timestamp}:${event.body}`);
  const own = [['X-CIO-Timestamp', timestamp] as const, ['X-CIO-Signature', signed.digest('hex')] as const];
  return { ...event, headers: [...event.headers, ...own] };
}
