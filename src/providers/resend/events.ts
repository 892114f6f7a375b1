import type { ProviderRecord } from '../../domain/provider.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { fieldOf } from '../fields.ts';
import { emailData } from '../send.ts';

/** The events of emails that a webhook can ask for, and that mailcap causes. */
export const EVENTS = [
  'email.sent',
  'email.delivered',
  'email.bounced',
  'email.complained',
  'email.scheduled',
  'email.failed',
  'email.suppressed',
  'email.opened',
  'email.clicked',
] as const;

/** Writes an event as Resend sends it, signed by Svix. */
export function resendEvents(
  { type, record, address, link }: EmailEvent,
  webhook: ProviderRecord,
  now: number,
): OutgoingEvent[] {
  const name = EVENTS.find((one) => one === `email.${type}`);
  if (name === undefined || !isWanted(webhook, name)) return [];
  const { fields } = emailData(record);
  const body = {
    type: name,
    created_at: new Date(now).toISOString(),
    data: {
      created_at: new Date(record.createdAt).toISOString(),
      email_id: keyOfRecord(record),
      from: fields['from'],
      to: address === null ? fields['to'] : [address],
      subject: fields['subject'],
      tags: Object.fromEntries(tagsOf(fields['tags'])),
      ...(type === 'bounced' && {
        bounce: {
          message: 'The recipient’s mail server permanently refused the email.',
          type: 'Permanent',
          subType: 'General',
        },
      }),
      ...(type === 'failed' && { failed: { reason: 'no_such_mailbox' } }),
      ...(type === 'suppressed' && {
        suppressed: { message: 'The recipient is on the suppression list.', type: 'OnAccountSuppressionList' },
      }),
      ...(type === 'clicked' && {
        click: { ipAddress: '127.0.0.1', link, timestamp: new Date(now).toISOString(), userAgent: READER },
      }),
    },
  };
  return [outgoing(webhook, body)];
}

/** Tells whether a webhook wants an event. */
export function isWanted({ data }: ProviderRecord, type: string): boolean {
  const wanted = fieldOf(data, 'events');
  return Array.isArray(wanted) && wanted.includes(type) && fieldOf(data, 'status') !== 'disabled';
}

/** Writes the request of an event, which Svix signs. */
export function outgoing(webhook: ProviderRecord, body: object): OutgoingEvent {
  const [url, secret] = [String(fieldOf(webhook.data, 'endpoint')), String(fieldOf(webhook.data, 'secret'))];
  const headers: OutgoingEvent['headers'] = [['User-Agent', 'Svix-Webhooks/1.24 (mailcap)']];
  return { url, body: JSON.stringify(body), scheme: 'svix', secret, headers };
}

function tagsOf(tags: unknown): [string, string][] {
  return Array.isArray(tags) ? tags.map(({ name, value }) => [name, value]) : [];
}
