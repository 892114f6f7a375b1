import type { ProviderRecord } from '../../domain/provider.ts';
import { type OutgoingEvent, READER } from '../door.ts';
import { isoTime, storedAt } from '../parts.ts';
import { agent, webhookEvents } from '../webhook-events.ts';

/** The events of emails that a webhook can ask for, and that mailcap causes. */
const NAMES = {
  sent: 'email.sent',
  delivered: 'email.delivered',
  bounced: 'email.bounced',
  complained: 'email.complained',
  scheduled: 'email.scheduled',
  failed: 'email.failed',
  suppressed: 'email.suppressed',
  opened: 'email.opened',
  clicked: 'email.clicked',
} as const;
export const EVENTS: readonly string[] = Object.values(NAMES);

/** Writes an event as Resend sends it, signed by Svix. */
export const resendEvents = webhookEvents({
  names: NAMES,
  wants: isWanted,
  write: ({ name, type, id, address, record, fields, link, now }) => ({
    ...{ type: name, created_at: isoTime(now) },
    data: {
      ...{ created_at: storedAt(record), email_id: id, from: fields['from'] },
      ...{ to: address === null ? fields['to'] : [address], subject: fields['subject'], tags: tagsOf(fields['tags']) },
      ...(type === 'bounced' && {
        bounce: {
          ...{ message: 'The recipient’s mail server permanently refused the email.' },
          ...{ type: 'Permanent', subType: 'General' },
        },
      }),
      ...(type === 'failed' && { failed: { reason: 'no_such_mailbox' } }),
      ...(type === 'suppressed' && {
        suppressed: { message: 'The recipient is on the suppression list.', type: 'OnAccountSuppressionList' },
      }),
      ...(type === 'clicked' && {
        click: { ipAddress: '127.0.0.1', link, timestamp: isoTime(now), userAgent: READER },
      }),
    },
  }),
  // An event of all recipients is told once.
  together: ([event]) => JSON.stringify(event),
  request: requestTo,
});

/** Tells whether a webhook wants an event. */
export function isWanted({ events, status }: ProviderRecord['data'], name: string): boolean {
  return Array.isArray(events) && events.includes(name) && status !== 'disabled';
}

/** Returns the request to a webhook, which Svix signs. */
export function requestTo({ endpoint, secret }: ProviderRecord['data']): Omit<OutgoingEvent, 'body'> {
  return {
    url: String(endpoint),
    headers: agent('Svix-Webhooks/1.24 (mailcap)'),
    scheme: 'svix',
    secret: String(secret),
  };
}

function tagsOf(tags: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.isArray(tags) ? tags.map(({ name, value }) => [name, value]) : []);
}
