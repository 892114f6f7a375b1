import { createHmac } from 'node:crypto';
import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { emailData } from '../send.ts';

/** The requests that tell of a message's status, by the status. They are signed when the message is created. */
export type Callbacks = Readonly<Record<string, OutgoingEvent>>;

/** The statuses that a message comes to after it was taken. */
const TOLD = ['queued', 'sent', 'delivered', 'undelivered', 'failed'] as const;
type Status = (typeof TOLD)[number];

/** The error of a message that did not reach the phone. */
export const UNREACHABLE = { code: 30003, message: 'Unreachable destination handset' };

export interface CallbackGiven {
  readonly url: string;
  readonly accountSid: string;
  readonly authToken: string;
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly messagingServiceSid: string | null;
}

/** Writes the status callbacks of a message. The token signs them and is not kept. */
export function callbacksOf(given: CallbackGiven): Callbacks {
  return Object.fromEntries(TOLD.map((status) => [status, callback(given, status)]));
}

function callback({ url, authToken, ...given }: CallbackGiven, status: Status): OutgoingEvent {
  const fields: Record<string, string> = {
    AccountSid: given.accountSid,
    ApiVersion: '2010-04-01',
    From: given.from,
    MessageSid: given.sid,
    MessageStatus: status,
    SmsSid: given.sid,
    SmsStatus: status,
    To: given.to,
    ...(given.messagingServiceSid !== null && { MessagingServiceSid: given.messagingServiceSid }),
    ...((status === 'undelivered' || status === 'failed') && { ErrorCode: String(UNREACHABLE.code) }),
  };
  return {
    url,
    body: new URLSearchParams(fields).toString(),
    scheme: 'none',
    secret: null,
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
      ['User-Agent', 'TwilioProxy/1.1'],
      ['X-Twilio-Signature', twilioSignature(authToken, url, fields)],
    ],
  };
}

/**
 * Signs a request as Twilio does: the URL, and the name and value of each field in the order of the names
 * (https://www.twilio.com/docs/usage/security).
 */
export function twilioSignature(authToken: string, url: string, fields: Readonly<Record<string, string>>): string {
  const signed = Object.keys(fields)
    .sort()
    .reduce((text, name) => text + name + (fields[name] ?? ''), url);
  return createHmac('sha1', authToken).update(signed).digest('base64');
}

/** Returns the callbacks of an event. */
export function twilioCallbacks({ type, record }: EmailEvent): readonly OutgoingEvent[] {
  const callbacks = emailData(record).fields['callbacks'] as Callbacks | null | undefined; // written above
  const statuses: readonly Status[] = STATUSES[type] ?? [];
  return statuses.map((status) => callbacks?.[status]).filter((one) => one !== undefined);
}

const STATUSES: Readonly<Partial<Record<EmailEvent['type'], readonly Status[]>>> = {
  sent: ['queued', 'sent'],
  delivered: ['delivered'],
  bounced: ['undelivered'],
  failed: ['failed'],
};
