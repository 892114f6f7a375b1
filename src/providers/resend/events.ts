import type { ProviderRecord } from '../../domain/provider.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { fieldOf } from '../fields.ts';
import { emailData } from '../send.ts';

/** The events of emails that a webhook can ask for. mailcap causes the first six, and the others when a test says so. */
export const EVENTS = [
  'email.sent',
  'email.delivered',
  'email.bounced',
  'email.complained',
  'email.scheduled',
  'email.failed',
] as const;

/** Writes an event as Resend sends it, signed by Svix. */
export function resendEvent(
  { type, record, address }: EmailEvent,
  webhook: ProviderRecord,
  now: number,
): OutgoingEvent | null {
  const name = EVENTS.find((one) => one === `email.${type}`);
  const wanted = fieldOf(webhook.data, 'events');
  if (name === undefined || !Array.isArray(wanted) || !wanted.includes(name)) return null;
  if (fieldOf(webhook.data, 'status') === 'disabled') return null;
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
    },
  };
  return {
    url: String(fieldOf(webhook.data, 'endpoint')),
    body: JSON.stringify(body),
    scheme: 'svix',
    secret: String(fieldOf(webhook.data, 'secret')),
    headers: [['User-Agent', 'Svix-Webhooks/1.24 (mailcap)']],
  };
}

function tagsOf(tags: unknown): [string, string][] {
  return Array.isArray(tags) ? tags.map(({ name, value }) => [name, value]) : [];
}
