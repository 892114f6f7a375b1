import { createPrivateKey, sign } from 'node:crypto';
import type { ProviderRecord } from '../../domain/provider.ts';
import { type OutgoingEvent, READER } from '../door.ts';
import { agent, BOUNCED, eventId, webhookEvents } from '../webhook-events.ts';

/** Writes an event as SendGrid's event webhook sends it: one request with an entry for each recipient. */
export const sendgridEvents = webhookEvents({
  names: {
    sent: 'processed',
    delivered: 'delivered',
    bounced: 'bounce',
    complained: 'spam_report',
    suppressed: 'dropped',
    opened: 'open',
    clicked: 'click',
    unsubscribed: 'unsubscribe',
  },
  wants: (data, event) => data['enabled'] === true && data[event] === true,
  write: ({ name: event, type, id, email, messageId, record, fields, link, reason, now }) => ({
    ...(fields['customArgs'] as object),
    ...{ timestamp: Math.floor(now / 1_000), 'smtp-id': messageId },
    ...{ sg_message_id: `${id}.recvd-mailcap-1`, category: fields['categories'], email, event },
    sg_event_id: eventId({ record, type }, email, now),
    ...(event === 'delivered' && { response: '250 2.0.0 Ok' }),
    ...(event === 'bounce' && {
      ...{ type: 'bounce', bounce_classification: 'Invalid Address', reason: BOUNCED, status: '5.1.1' },
    }),
    ...(event === 'dropped' && { reason: reason === 'complaint' ? 'Spam Reporting Address' : 'Bounced Address' }),
    ...((event === 'open' || event === 'click') && { useragent: READER, ip: '127.0.0.1' }),
    ...(event === 'open' && { sg_machine_open: false }),
    ...(event === 'click' && { url: link, url_offset: { index: 0, type: 'html' } }),
  }),
  // A line break ends the body, and it is signed too.
  together: (events) => `${JSON.stringify(events)}\r\n`,
  request: (data) => ({ url: String(data['url']), headers: agent('SendGrid Event API') }),
});

/** Signs a try by ECDSA over its time and the body, if the app asked for that. */
export function signSendgrid(event: OutgoingEvent, { data }: ProviderRecord, now: number): OutgoingEvent {
  if (typeof data['privateKey'] !== 'string' || data['isSigned'] !== true) return event;
  const timestamp = String(Math.floor(now / 1_000));
  const key = createPrivateKey({ key: Buffer.from(data['privateKey'], 'base64'), format: 'der', type: 'pkcs8' });
  const signature = sign('sha256', Buffer.from(timestamp + event.body), key).toString('base64');
  const headers = [
    ...event.headers,
    ['X-Twilio-Email-Event-Webhook-Signature', signature] as const,
    ['X-Twilio-Email-Event-Webhook-Timestamp', timestamp] as const,
  ];
  return { ...event, headers };
}
