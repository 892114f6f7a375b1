import { createHash } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { isoTime, storedAt } from '../parts.ts';
import { emailData, recipientsOf } from '../send.ts';

const NAMES = {
  sent: 'sent',
  delivered: 'delivered',
  bounced: 'hard_bounced',
  complained: 'spam_complaint',
  opened: 'opened',
  clicked: 'clicked',
  unsubscribed: 'unsubscribed',
} as const satisfies Partial<Record<EmailEvent['type'], string>>;

/** Writes an event as MailerSend sends it, one for each recipient, signed by an HMAC of the body. */
export function mailersendEvents(event: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, link } = event;
  if (!Object.hasOwn(NAMES, type) || webhook.data['enabled'] !== true) return [];
  const name = NAMES[type as keyof typeof NAMES];
  const wanted = webhook.data['events'] as readonly string[];
  const asked = [`activity.${name}`, `activity.${name}_unique`].find((one) => wanted.includes(one));
  if (asked === undefined) return [];
  const { fields } = emailData(record);
  const [at, url, secret] = [isoTime(now), String(webhook.data['url']), String(webhook.data['secret'])];
  return recipientsOf(event).map((email) => {
    const id = createHash('sha256').update(`${record.id} ${name} ${email} ${now}`).digest('hex').slice(0, 24);
    const recipient = { object: 'recipient', id: createHash('sha256').update(email).digest('hex').slice(0, 24), email };
    const data = {
      ...{ object: 'activity', id, type: name, created_at: at },
      email: {
        ...{ object: 'email', id: keyOfRecord(record), created_at: storedAt(record), from: fields['from'] },
        ...{ subject: fields['subject'], status: name, tags: fields['tags'] },
        message: { object: 'message', id: keyOfRecord(record), created_at: storedAt(record) },
        recipient: { ...recipient, created_at: storedAt(record) },
      },
      morph: morphOf(type, link),
      template_id: '',
    };
    const webhook_id = keyOfRecord(webhook);
    const body = { type: asked, domain_id: webhook.data['domain_id'], created_at: at, webhook_id, url, data };
    const headers: OutgoingEvent['headers'] = [['User-Agent', 'MailerSend Webhook']];
    return { url, body: JSON.stringify(body), scheme: { header: 'Signature' }, secret, headers };
  });
}

/** What is told of an event beside the email. */
function morphOf(type: EmailEvent['type'], link: string | undefined): object | null {
  switch (type) {
    case 'bounced':
      return { object: 'recipient_bounce', reason: '550 5.1.1 The simulator knows no such user' };
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
