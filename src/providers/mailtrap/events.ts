import { idOfText } from '../calls.ts';
import { READER } from '../door.ts';
import { agent, BOUNCED, webhookEvents } from '../webhook-events.ts';

/** Writes an event as Mailtrap sends it: a list of the events of all recipients, signed by an HMAC of the body. */
export const mailtrapEvents = webhookEvents({
  names: {
    delivered: 'delivery',
    bounced: 'bounce',
    complained: 'spam_complaint',
    suppressed: 'reject',
    opened: 'open',
    clicked: 'click',
    unsubscribed: 'unsubscribe',
  },
  wants: (data, event) => data['active'] === true && (data['event_types'] as readonly string[]).includes(event),
  write: ({ name: event, email, id, record, recipients, fields, link, reason, now }) => ({
    ...{ event, email, message_id: messageIdFor(id, recipients, email) },
    timestamp: Math.floor(now / 1_000),
    event_id: uuidOf(`${record.id} ${event} ${email} ${now}`),
    ...{ category: fields['category'], custom_variables: fields['variables'] },
    ...{ sending_stream: 'transactional', sending_domain_name: fields['domain'] },
    ...(event === 'delivery' && { response: '250 2.0.0 Ok' }),
    ...(event === 'bounce' && { response: BOUNCED, response_code: 550, bounce_category: 'badmailbox' }),
    ...(event === 'reject' && { reason: reason === 'complaint' ? 'spam complaint' : 'hard bounce' }),
    ...((event === 'open' || event === 'click' || event === 'unsubscribe') && { ip: '127.0.0.1', user_agent: READER }),
    ...(event === 'click' && { url: link }),
  }),
  together: (events, data) =>
    data['payload_format'] === 'jsonlines'
      ? events.map((one) => JSON.stringify(one)).join('\n')
      : JSON.stringify({ events }),
  request: (data) => ({
    ...{ url: String(data['url']), headers: agent('Mailtrap') },
    ...{ scheme: { header: 'Mailtrap-Signature' }, secret: String(data['signing_secret']) },
  }),
});

/** Returns the id that a recipient has of a mail: each has one of its own, and the first has the id of the mail. */
export function messageIdFor(id: string, recipients: readonly string[], address: string): string {
  return recipients[0] === address ? id : uuidOf(`${id} ${address}`);
}

function uuidOf(text: string): string {
  return idOfText(text, 30).replace(/^(.{8})(.{4})(.{3})(.{3})/, '$1-$2-4$3-8$4-');
}
