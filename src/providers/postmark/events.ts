import { createHash } from 'node:crypto';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { emailData } from '../send.ts';

const TRIGGERS = { delivered: 'Delivery', bounced: 'Bounce', complained: 'SpamComplaint' } as const;

/** Writes an event as Postmark sends it. Postmark signs nothing: a webhook may have a user name, a password and headers. */
export function postmarkEvent(
  { type, record, address }: EmailEvent,
  webhook: ProviderRecord,
  now: number,
): OutgoingEvent | null {
  if (type !== 'delivered' && type !== 'bounced' && type !== 'complained') return null;
  const trigger = objectOf(fieldOf(objectOf(webhook.data['Triggers']) ?? {}, TRIGGERS[type]));
  if (trigger === null || fieldOf(trigger, 'Enabled') !== true) return null;
  const { fields } = emailData(record);
  const at = new Date(now).toISOString();
  const common = {
    RecordType: TRIGGERS[type],
    MessageID: keyOfRecord(record),
    MessageStream: fields['stream'],
    ServerID: 1,
    Tag: fields['tag'] ?? '',
    Metadata: fields['metadata'],
  };
  const body =
    type === 'delivered'
      ? { ...common, Recipient: address, DeliveredAt: at, Details: '250 2.0.0 Ok' }
      : {
          ...common,
          ID: bounceId(record, address ?? ''),
          Type: type === 'bounced' ? 'HardBounce' : 'SpamComplaint',
          TypeCode: type === 'bounced' ? 1 : 512,
          Name: type === 'bounced' ? 'Hard bounce' : 'Spam complaint',
          Description:
            type === 'bounced'
              ? 'The server was unable to deliver your message.'
              : 'The subscriber explicitly marked this message as spam.',
          Details: '550 5.1.1 The simulator knows no such user',
          Email: address,
          From: fields['from'],
          BouncedAt: at,
          DumpAvailable: false,
          Inactive: false,
          CanActivate: type === 'bounced',
          Subject: fields['subject'],
        };
  return {
    url: String(webhook.data['Url']),
    body: JSON.stringify(body),
    scheme: 'none',
    secret: null,
    headers: headersOf(webhook),
  };
}

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
    ...(isText(user) && user !== ''
      ? [
          ['Authorization', `Basic ${Buffer.from(`${user}:${String(password)}`).toString('base64')}`] as [
            string,
            string,
          ],
        ]
      : []),
    ...given.map(({ Name, Value }): [string, string] => [String(Name), String(Value)]),
  ];
}
