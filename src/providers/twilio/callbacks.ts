import type { EmailEvent, OutgoingEvent } from '../door.ts';
import { emailData } from '../send.ts';
import { type HmacState, twilioSignature } from './signature.ts';

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
  readonly signing: HmacState;
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly messagingServiceSid: string | null;
}

/** Writes the status callbacks of a message. */
export function callbacksOf(given: CallbackGiven): Callbacks {
  return Object.fromEntries(TOLD.map((status) => [status, callback(given, status)]));
}

function callback({ url, signing, ...given }: CallbackGiven, status: Status): OutgoingEvent {
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
    headers: requestHeaders(twilioSignature(signing, url, fields)),
  };
}

/** The header fields of a request to the app. */
export function requestHeaders(signature: string): OutgoingEvent['headers'] {
  return [
    ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
    ['User-Agent', 'TwilioProxy/1.1'],
    ['X-Twilio-Signature', signature],
  ];
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
