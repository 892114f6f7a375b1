import { keyOfRecord } from '../../domain/provider.ts';
import { idOfText } from '../calls.ts';
import { type EmailEvent, READER } from '../door.ts';
import { isoTime, storedAt } from '../parts.ts';
import { agent, BOUNCED, webhookEvents } from '../webhook-events.ts';

/** Writes an event as MailerSend sends it, one for each recipient, signed by an HMAC of the body. */
export const mailersendEvents = webhookEvents({
  names: {
    sent: 'sent',
    delivered: 'delivered',
    bounced: 'hard_bounced',
    complained: 'spam_complaint',
    opened: 'opened',
    clicked: 'clicked',
    unsubscribed: 'unsubscribed',
  },
  wants: (data, name) => data['enabled'] === true && askedFor(data, name) !== undefined,
  write: ({ name, type, id, email, record, fields, link, webhook, now }) => ({
    ...{ type: askedFor(webhook.data, name), domain_id: webhook.data['domain_id'], created_at: isoTime(now) },
    ...{ webhook_id: keyOfRecord(webhook), url: webhook.data['url'] },
    data: {
      ...{ object: 'activity', id: idOfText(`${record.id} ${name} ${email} ${now}`, 24), type: name },
      created_at: isoTime(now),
      email: {
        ...{ object: 'email', id, created_at: storedAt(record), from: fields['from'] },
        ...{ subject: fields['subject'], status: name, tags: fields['tags'] },
        message: { object: 'message', id, created_at: storedAt(record) },
        recipient: { object: 'recipient', id: idOfText(email, 24), email, created_at: storedAt(record) },
      },
      morph: morphOf(type, link),
      template_id: '',
    },
  }),
  request: (data) => ({
    ...{ url: String(data['url']), headers: agent('MailerSend Webhook') },
    ...{ scheme: { header: 'Signature' }, secret: String(data['secret']) },
  }),
});

/** Returns the name by which a webhook asks for an event. */
function askedFor(data: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const wanted = data['events'] as readonly string[];
  return [`activity.${name}`, `activity.${name}_unique`].find((one) => wanted.includes(one));
}

/** What is told of an event beside the email. */
function morphOf(type: EmailEvent['type'], link: string | undefined): object | null {
  switch (type) {
    case 'bounced':
      return { object: 'recipient_bounce', reason: BOUNCED };
    case 'complained':
      return { object: 'spam_complaint', reason: null };
    case 'opened':
      return { object: 'open', ip: '127.0.0.1', user_agent: READER };
    case 'clicked':
      return { object: 'click', ip: '127.0.0.1', user_agent: READER, url: link };
    case 'unsubscribed':
      return { object: 'recipient_unsubscribe', reason: null, readable_reason: null };
    default:
      return null;
  }
}
