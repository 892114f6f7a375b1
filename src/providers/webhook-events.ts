import { createHash } from 'node:crypto';
import { isInteraction, keyOfRecord, type ProviderRecord } from '../domain/provider.ts';
import type { Door, EmailEvent, OutgoingEvent } from './door.ts';
import { type EmailData, emailData } from './send.ts';

// How providers tell the webhooks of an app what became of an email.

/** An event, as it is told of a recipient. */
export interface ToldEvent<Name> extends EmailEvent, Pick<EmailData, 'fields' | 'messageId' | 'recipients'> {
  /** The name of the event at the provider. */
  readonly name: Name;
  /** The recipient. */
  readonly email: string;
  /** The id of the email. */
  readonly id: string;
  readonly webhook: ProviderRecord;
  /** The time in the workspace, in milliseconds. */
  readonly now: number;
}

/** How a provider writes events. */
export interface EventForm<Name> {
  /** The names at the provider of the events that it tells. */
  readonly names: Readonly<Partial<Record<EmailEvent['type'], Name>>>;
  /** Tells whether a webhook wants an event of a name. */
  wants(webhook: ProviderRecord['data'], name: Name, event: EmailEvent): boolean;
  /** Writes the event of a recipient. */
  write(told: ToldEvent<Name>): object;
  /** Writes the body of one request for all recipients. Absent: each has a request, whose body is its event. */
  together?(events: readonly object[], webhook: ProviderRecord['data']): string;
  /** Makes the request of a body: where it goes, and how it is signed. */
  request(webhook: ProviderRecord['data'], name: Name): Omit<OutgoingEvent, 'body'>;
}

/** Returns what writes the events of a provider. */
export function webhookEvents<Name>(form: EventForm<Name>): NonNullable<Door['eventsFor']> {
  return (event, webhook, now) => {
    const { record, address } = event;
    const name = form.names[event.type];
    if (name === undefined || !form.wants(webhook.data, name, event)) return [];
    const { fields, messageId, recipients } = emailData(record);
    const own = { ...event, name, id: keyOfRecord(record), fields, messageId, recipients, webhook, now };
    const written = (address === null ? recipients : [address]).map((email) => form.write({ ...own, email }));
    const bodies =
      form.together === undefined ? written.map((one) => JSON.stringify(one)) : [form.together(written, webhook.data)];
    return bodies.map((body) => ({ ...form.request(webhook.data, name), body }));
  };
}

/** Returns the id of an event. One of a kind that may come more than once, such as the opening of a mail, is of its time. */
export function eventId({ record, type }: Pick<EmailEvent, 'record' | 'type'>, email: string, at: number): string {
  const text = `${record.id} ${type} ${email}${isInteraction(type) ? ` ${at}` : ''}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns the requests' header field that names the provider. */
export function agent(name: string): readonly (readonly [string, string])[] {
  return [['User-Agent', name]];
}

/** The reply of the mail server of a bounced recipient. */
export const BOUNCED = '550 5.1.1 The simulator knows no such user';
