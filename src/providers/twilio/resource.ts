import { smsSize } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { mailDate } from '../../text/mail-date.ts';
import { idOfText } from '../calls.ts';
import { type EmailState, emailData } from '../send.ts';
import { isWhatsapp } from './addresses.ts';
import { type Callbacks, UNREACHABLE } from './callbacks.ts';

// How Twilio shows a message: https://www.twilio.com/docs/messaging/api/message-resource

/** What is kept of a message. */
export interface MessageFields {
  readonly accountSid: string;
  readonly direction: 'inbound' | 'outbound-api' | 'outbound-reply';
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** The URLs of its media. */
  readonly media: readonly string[];
  readonly messagingServiceSid: string | null;
  /** Whether the messaging service chooses the sender. */
  readonly isPooled: boolean;
  readonly dueAt: number | null;
  readonly callbacks: Callbacks | null;
}

export function messageFields(record: ProviderRecord): MessageFields {
  return emailData(record).fields as unknown as MessageFields; // the routes of messages alone write these records
}

const STATUSES: Readonly<Partial<Record<EmailState, string>>> = {
  scheduled: 'scheduled',
  canceled: 'canceled',
  failed: 'failed',
  delivered: 'delivered',
  bounced: 'undelivered',
  complained: 'delivered',
  received: 'received',
};

/** Returns the resource of a message. */
export function shownMessage(record: ProviderRecord) {
  const { state } = emailData(record);
  const fields = messageFields(record);
  const isSent = state !== 'scheduled' && state !== 'canceled';
  const sentAt = isSent ? (fields.dueAt ?? record.createdAt) : null;
  const status = STATUSES[state] ?? 'delivered';
  return resource(fields, { sid: keyOfRecord(record), status, at: record.createdAt, sentAt });
}

/** The statuses of a message before its messaging service has chosen a sender. */
const UNASSIGNED: readonly string[] = ['accepted', 'scheduled', 'canceled'];

interface State {
  readonly sid: string;
  readonly status: string;
  readonly at: number;
  readonly sentAt: number | null;
}

export function resource(fields: MessageFields, { sid, status, at, sentAt }: State) {
  const { accountSid, direction, from, to, body, media, messagingServiceSid, isPooled } = fields;
  const isUnassigned = isPooled && UNASSIGNED.includes(status);
  const uri = `/2010-04-01/Accounts/${accountSid}/Messages/${sid}`;
  const isLost = status === 'undelivered' || status === 'failed';
  return {
    ...{ sid, account_sid: accountSid, api_version: '2010-04-01', direction, status },
    ...{ from: isUnassigned ? null : from, to, body, messaging_service_sid: messagingServiceSid },
    num_segments: String(isUnassigned ? 0 : segmentsOf(fields)),
    num_media: String(media.length),
    date_created: mailDate(at),
    date_updated: mailDate(sentAt ?? at),
    date_sent: sentAt === null ? null : mailDate(sentAt),
    error_code: isLost ? UNREACHABLE.code : null,
    error_message: isLost ? UNREACHABLE.message : null,
    ...{ price: null, price_unit: 'USD', uri: `${uri}.json`, subresource_uris: { media: `${uri}/Media.json` } },
  };
}

/** In how many segments a message is counted. WhatsApp has one always. */
export function segmentsOf({ body, to }: Pick<MessageFields, 'body' | 'to'>): number {
  return isWhatsapp(to) ? 1 : smsSize(body).segments;
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' },
  ...{ mp4: 'video/mp4', mp3: 'audio/mpeg', ogg: 'audio/ogg', pdf: 'application/pdf', vcf: 'text/vcard' },
};

/** Returns the media type of the ending of a URL. mailcap loads no media. */
export function mediaTypeOf(url: string): string {
  const [, ending = ''] = /\.([a-z0-9]{1,5})$/i.exec(new URL(url).pathname) ?? [];
  const type = ending.toLowerCase();
  return Object.hasOwn(TYPES, type) ? (TYPES[type] ?? '') : 'application/octet-stream';
}

/** Returns the media of a message with their ids and URLs. */
export function mediaOf(record: ProviderRecord): { readonly sid: string; readonly url: string }[] {
  return messageFields(record).media.map((url, at) => ({ sid: `ME${idOfText(`${record.id} ${at}`, 32)}`, url }));
}
