import { createHash } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { type EmailEvent, type OutgoingEvent, READER } from '../door.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { emailData } from '../send.ts';

/** The triggers of the events; `unsubscribed` is a change of a subscription. */
const TRIGGERS: Readonly<Partial<Record<EmailEvent['type'], string>>> = {
  delivered: 'Delivery',
  bounced: 'Bounce',
  complained: 'SpamComplaint',
  opened: 'Open',
  clicked: 'Click',
  unsubscribed: 'SubscriptionChange',
};

/** Writes an event as Postmark sends it. Postmark signs nothing: a webhook may have a user name, a password and headers. */
export function postmarkEvents(event: EmailEvent, webhook: ProviderRecord, now: number): OutgoingEvent[] {
  const { type, record, address } = event;
  const RecordType = TRIGGERS[type];
  if (RecordType === undefined) return [];
  const trigger = objectOf(fieldOf(objectOf(webhook.data['Triggers']) ?? {}, RecordType));
  if (trigger === null || fieldOf(trigger, 'Enabled') !== true) return [];
  const { fields } = emailData(record);
  const common = {
    ...{ RecordType, MessageID: keyOfRecord(record), MessageStream: fields['stream'], ServerID: 1 },
    ...{ Tag: fields['tag'] ?? '', Metadata: fields['metadata'] },
  };
  const own = ownFields(event, new Date(now).toISOString(), address ?? '');
  const [url, headers] = [String(webhook.data['Url']), headersOf(webhook)];
  return [{ url, body: JSON.stringify({ ...common, ...own }), headers }];
}

function ownFields({ type, record, link }: EmailEvent, at: string, Recipient: string) {
  const { fields } = emailData(record);
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
        Recipient,
        ChangedAt: at,
        Origin: 'Recipient',
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
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
        ...{ Details: '550 5.1.1 The simulator knows no such user', Email: Recipient, From: fields['from'] },
        ...{ BouncedAt: at, DumpAvailable: false, Inactive: false, CanActivate: isBounce, Subject: fields['subject'] },
      };
    }
  }
}

const READS = { Name: 'mailcap', Company: 'mailcap', Family: 'mailcap' };

/** A number, as Postmark numbers bounces. */
function bounceId(record: ProviderRecord, address: string): number {
  return createHash('sha256').update(`${record.id} ${address}`).digest().readUInt32BE();
}

function headersOf({ data }: ProviderRecord): [string, string][] {
  const auth = objectOf(data['HttpAuth']);
  const [user, password] = auth === null ? [] : [fieldOf(auth, 'Username'), fieldOf(auth, 'Password')];
  const given = Array.isArray(data['HttpHeaders']) ? data['HttpHeaders'] : [];
  return [
    ['User-Agent', 'Postmark'],
    ...(isText(user) && user !== '' ? [basicHeader(user, String(password))] : []),
    ...given.map(({ Name, Value }): [string, string] => [String(Name), String(Value)]),
  ];
}

function basicHeader(user: string, password: string): [string, string] {
  return ['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
}
