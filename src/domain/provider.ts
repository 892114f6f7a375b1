import { ULID_DIGITS } from '../text/ulid-digits.ts';
import type { Email } from './check-send.ts';
import type { WorkspaceId } from './ids.ts';

// Mail providers whose HTTP API apps send by (docs/providers.md).

export const PROVIDER_NAMES = [
  'resend',
  'sendgrid',
  'postmark',
  'mailgun',
  'ses',
  'brevo',
  'mailersend',
  'mailtrap',
  'customerio',
  'twilio',
  'sns',
  'vonage',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The beginning of the paths of their APIs. */
export const PROVIDERS_PATH = '/providers/';

/** What the reader of a mail does, when a person or a test says so. */
export const INTERACTIONS = ['opened', 'clicked', 'unsubscribed', 'complained'] as const;
export type Interaction = (typeof INTERACTIONS)[number];

export function isInteraction(text: unknown): text is Interaction {
  return INTERACTIONS.some((one) => one === text);
}

/** A mail or a text message as an app gives it to the API of a provider, checked and ready to be composed. */
export interface ProviderMail extends Email {
  /** Absent for an email. The recipients of a text message are phone numbers, and `mailFrom` is its sender. */
  readonly kind?: 'sms';
  /** The id that the API answers with. Ids of later mails sort after it. */
  readonly id: string;
  /** The Message-ID with angle brackets. */
  readonly messageId: string;
  /** The further header fields, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly MailFile[];
  /** The envelope sender. */
  readonly mailFrom: string;
  /** The bytes of a mail that the app composed itself, without Bcc. Absent if the provider composes it. */
  readonly raw?: Buffer;
}

/** A file of a mail. */
export interface MailFile {
  readonly filename: string | null;
  /** The media type. Null: the one of the filename's ending. */
  readonly contentType: string | null;
  readonly content: Uint8Array;
  /** The Content-ID without angle brackets. Null if the HTML does not show the file. */
  readonly contentId: string | null;
}

/** What the API of a provider keeps for an app: an email that was sent or is scheduled, a webhook of the app, an event. */
export interface ProviderRecord {
  /** {@link recordId}: rows of a collection sort by their keys. */
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  /** {@link collectionId}. */
  readonly collection: string;
  readonly provider: ProviderName;
  readonly kind: RecordKind;
  /** The time in the workspace. */
  readonly createdAt: number;
  /** When the record has to be acted on, in the time of the workspace. Absent if there is nothing to do. */
  readonly dueAt?: number;
  /** The fields that the provider gives back. They are JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * `emails` were sent or are scheduled, `events` are on their way to the webhooks of the app, `topics` hand messages to
 * their subscribers, `inbound` is mail and `texts` are texts of phones on their way to the app by `rules`, `received` is mail
 * that the app can read, and `settings` say where events go.
 */
export type RecordKind =
  | 'emails'
  | 'events'
  | 'webhooks'
  | 'templates'
  | 'services'
  | 'verifications'
  | 'topics'
  | 'inbound'
  | 'received'
  | 'texts'
  | 'rules'
  | 'settings';

/** The rows of a kind that a workspace keeps for a provider, at most. */
export const MOST_RECORDS = 1_000;

/** The rules of a workspace, at most. */
export const MOST_RULES = 200;

export function collectionId(workspaceId: WorkspaceId, provider: ProviderName, kind: RecordKind): string {
  return kind === 'rules' ? rulesId(workspaceId) : `${workspaceId} ${provider} ${kind}`;
}

/** The rules of all providers stand in one collection, because each mail that comes asks for those of its workspace. */
export function rulesId(workspaceId: WorkspaceId): string {
  return `${workspaceId} inbound rules`;
}

export function recordId(collection: string, key: string): string {
  return `${collection} ${key}`;
}

/**
 * Returns what tells which records are acted on one after another, so that the app learns in order what became of an email;
 * null for one that goes by itself.
 */
export function laneOf({ kind, data: { about, url } }: ProviderRecord): string | null {
  if (typeof about !== 'string') return null;
  return kind === 'events' ? `${about} ${url}` : kind === 'texts' ? about : null;
}

/** Returns the key of a record among those of its kind and provider. The id of a rule has the provider before the key. */
export function keyOfRecord({ id, collection, provider, kind }: ProviderRecord): string {
  return id.slice(collection.length + 1 + (kind === 'rules' ? provider.length + 1 : 0));
}

/** Returns the 128 bits of a ULID. */
export function ulidBits(ulid: string): bigint {
  let bits = 0n;
  for (const digit of ulid) bits = (bits << 5n) | BigInt(ULID_DIGITS.indexOf(digit));
  return bits;
}

/** Writes a ULID as a UUID of version 7 (RFC 9562 section 5.7). UUIDs sort as their ULIDs do. */
export function uuid7Of(ulid: string): string {
  const bits = ulidBits(ulid);
  // The version and the variant take six bits. Those that follow a ULID in the same millisecond differ in its last bits,
  // so the first ones of the random part give way.
  const random = bits & ((1n << 74n) - 1n);
  const digits = (value: bigint, count: number) => value.toString(16).padStart(count, '0');
  const time = digits((bits >> 80n) & ((1n << 48n) - 1n), 12);
  const end = digits((2n << 62n) | (random & ((1n << 62n) - 1n)), 16);
  return [time.slice(0, 8), time.slice(8), `7${digits(random >> 62n, 3)}`, end.slice(0, 4), end.slice(4)].join('-');
}
