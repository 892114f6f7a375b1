import { createHash } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { emailData, recipientsOf } from '../send.ts';

const NAMES: Readonly<Partial<Record<EmailEvent['type'], string>>> = {
  delivered: 'delivery',
  bounced: 'bounce',
  complained: 'spam_complaint',
  suppressed: 'reject',
  opened: 'open',
  clicked: 'click',
  unsubscribed: 'unsubscribe',
};

/** Writes an event as Mailtrap sends it: a list of the events of all recipients, signed by an HMAC of the body. */
export function mailtrapEvents(happened: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, link, reason } = happened;
  const { data } = webhook;
  const event = NAMES[type];
  if (event === undefined || data['active'] !== true) return [];
  if (!(data['event_types'] as readonly string[]).includes(event)) return [];
  const { fields, recipients } = emailData(record);
  const events = recipientsOf(happened).map((email) => ({
    ...{ event, email, message_id: messageIdFor(keyOfRecord(record), recipients, email) },
    timestamp: Math.floor(now / 1_000),
    event_id: uuidOf(`${record.id} ${event} ${email} ${now}`),
    ...{ category: fields['category'], custom_variables: fields['variables'] },
    ...{ sending_stream: 'transactional', sending_domain_name: fields['domain'] },
    ...(event === 'delivery' && { response: '250 2.0.0 Ok' }),
    ...(event === 'bounce' && {
      ...{ response: '550 5.1.1 The simulator knows no such user', response_code: 550, bounce_category: 'badmailbox' },
    }),
    ...(event === 'reject' && { reason: reason === 'complaint' ? 'spam complaint' : 'hard bounce' }),
    ...((event === 'open' || event === 'click' || event === 'unsubscribe') && { ip: '127.0.0.1', user_agent: READER }),
    ...(event === 'click' && { url: link }),
  }));
  const isLines = data['payload_format'] === 'jsonlines';
  const body = isLines ? events.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify({ events });
  const headers: OutgoingEvent['headers'] = [['User-Agent', 'Mailtrap']];
  const scheme = { header: 'Mailtrap-Signature' };
  return [{ url: String(data['url']), body, scheme, secret: String(data['signing_secret']), headers }];
}

/** Returns the id that a recipient has of a mail: each has one of its own, and the first has the id of the mail. */
export function messageIdFor(id: string, recipients: readonly string[], address: string): string {
  return recipients[0] === address ? id : uuidOf(`${id} ${address}`);
}

function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(12, 15)}`,
    `8${digits.slice(15, 18)}`,
    digits.slice(18, 30),
  ].join('-');
}
