import type { ProviderRecord } from '../../domain/provider.ts';
import { idOfText } from '../calls.ts';
import { READER } from '../door.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { isoTime } from '../parts.ts';
import { agent, BOUNCED, type ToldEvent, webhookEvents } from '../webhook-events.ts';

/**
 * Makes up to ten more tries for bounces and inbound mail: after 1, 5, 10, 10, 10, 15 and 30 minutes, 1, 2 and 6 hours. Spam
 * complaints are bounces too. https://postmarkapp.com/developer/webhooks/webhooks-overview
 */
export const DELAYS = [60, 300, 600, 600, 600, 900, 1_800, 3_600, 7_200, 21_600];
/** Makes up to three more tries for any other event: after 1, 5 and 15 minutes. */
const FEWER_DELAYS = [60, 300, 900];
/** Postmark takes 403 for a refusal. */
export const REFUSED = [403, 403] as const;

/** Writes an event as Postmark sends it. Postmark signs nothing: a webhook may have a user name, a password and headers. */
export const postmarkEvents = webhookEvents({
  // The triggers of the events; `unsubscribed` is a change of a subscription.
  names: {
    delivered: 'Delivery',
    bounced: 'Bounce',
    complained: 'SpamComplaint',
    opened: 'Open',
    clicked: 'Click',
    unsubscribed: 'SubscriptionChange',
  },
  wants: ({ Triggers }, name) => {
    const trigger = objectOf(fieldOf(objectOf(Triggers) ?? {}, name));
    return trigger !== null && fieldOf(trigger, 'Enabled') === true;
  },
  write: (told) => ({
    ...{ RecordType: told.name, MessageID: told.id, MessageStream: told.fields['stream'], ServerID: 1 },
    ...{ Tag: told.fields['tag'] ?? '', Metadata: told.fields['metadata'] },
    ...ownFields(told),
  }),
  request: (data, name) => ({
    ...{ url: String(data['Url']), headers: headersOf(data), ends: REFUSED },
    delays: name === 'Bounce' || name === 'SpamComplaint' ? DELAYS : FEWER_DELAYS,
  }),
});

function ownFields({ type, record, email: Recipient, fields, link, now }: ToldEvent<string>) {
  const at = isoTime(now);
  const reader = { ReceivedAt: at, UserAgent: READER, Platform: 'Desktop', Recipient };
  switch (type) {
    case 'delivered':
      return { Recipient, DeliveredAt: at, Details: '250 2.0.0 Ok' };
    case 'opened':
      return { ...reader, FirstOpen: true, Client: READS, OS: READS, Geo: {} };
    case 'clicked':
      return { ...reader, ClickLocation: 'HTML', OriginalLink: link, Client: READS, OS: READS, Geo: {} };
    case 'unsubscribed':
      return {
        ...{ Recipient, ChangedAt: at, Origin: 'Recipient' },
        ...{ SuppressSending: true, SuppressionReason: 'ManualSuppression' },
      };
    default: {
      const isBounce = type === 'bounced';
      return {
        ID: bounceId(record, Recipient),
        ...{ Type: isBounce ? 'HardBounce' : 'SpamComplaint', TypeCode: isBounce ? 1 : 512 },
        Name: isBounce ? 'Hard bounce' : 'Spam complaint',
        Description: isBounce
          ? 'The server was unable to deliver your message.'
          : 'The subscriber explicitly marked this message as spam.',
        ...{ Details: BOUNCED, Email: Recipient, From: fields['from'] },
        ...{ BouncedAt: at, DumpAvailable: false, Inactive: false, CanActivate: isBounce, Subject: fields['subject'] },
      };
    }
  }
}

const READS = { Name: 'mailcap', Company: 'mailcap', Family: 'mailcap' };

/** A number, as Postmark numbers bounces. */
function bounceId(record: ProviderRecord, address: string): number {
  return Number.parseInt(idOfText(`${record.id} ${address}`, 8), 16);
}

function headersOf({ HttpAuth, HttpHeaders }: ProviderRecord['data']): (readonly [string, string])[] {
  const auth = objectOf(HttpAuth) ?? {};
  const [user, password] = [fieldOf(auth, 'Username'), fieldOf(auth, 'Password')];
  const credentials = Buffer.from(`${String(user)}:${String(password)}`).toString('base64');
  const given = Array.isArray(HttpHeaders) ? HttpHeaders : [];
  return [
    ...agent('Postmark'),
    ...(isText(user) && user !== '' ? [['Authorization', `Basic ${credentials}`] as const] : []),
    ...given.map(({ Name, Value }) => [String(Name), String(Value)] as const),
  ];
}
