import { firstUlidAt, ULID_DIGITS, ulidDigits } from '../text/ulid-digits.ts';

// ULIDs have 26 Crockford base32 characters. They are written in upper case and accepted in either case
// (docs/contract.md#ids-and-times).

declare const brand: unique symbol;

export type Ulid = string & { readonly [brand]: { ulid: true } };
type Branded<Name extends string> = Ulid & { readonly [brand]: { ulid: true; of: Name } };

export type WorkspaceId = Branded<'workspace'>;
export type KeyId = Branded<'key'>;
export type GroupId = Branded<'group'>;
export type MailboxId = Branded<'mailbox'>;
export type MessageId = Branded<'message'>;
export type AuthenticatorId = Branded<'authenticator'>;
export type WebhookId = Branded<'webhook'>;
export type CapturedRequestId = Branded<'captured request'>;
export type SendId = Branded<'send'>;
export type SuppressionId = Branded<'suppression entry'>;
export type IdentityId = Branded<'identity'>;
export type EventId = Branded<'event'>;
export type FaultId = Branded<'fault rule'>;
export type TestRunId = Branded<'test run'>;
export type TestId = Branded<'attempt at a test'>;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;

/** Parses a ULID into its upper-case form. Returns null if the text is none. */
export function parseUlid<Id extends Ulid = Ulid>(text: string): Id | null {
  // Only here does a string become an id.
  return ULID.test(text) ? (text.toUpperCase() as Id) : null;
}

/**
 * Returns the time in a ULID's first ten characters, in milliseconds since 1970. It is real time, and never earlier
 * than the event the id was made for.
 */
export function ulidTime(id: Ulid): number {
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + ULID_DIGITS.indexOf(id.charAt(i));
  return time;
}

/** Returns the smallest id of a time, in milliseconds since 1970. Every id that is made later is greater. */
export function firstIdAt<Id extends Ulid>(time: number): Id {
  // The cast is safe: these are digits of a ULID.
  return firstUlidAt(time) as Id;
}

// IMAP numbers the messages of a mailbox in the order in which they came: a UID has 32 bits, never changes, and is never
// used again (RFC 3501 2.3.1.1). The last seven digits of a message's id are this number, so nothing else is stored, and
// the newest id that a mailbox ever held tells the next one, also after the message is gone.

/** The digits of an id that are a message's number in its mailbox. They hold 35 bits. */
export const NUMBER_DIGITS = 7;
const MOST_UID = 2 ** 32 - 1;

/** Returns the number of a message in its mailbox, from 1. An id that was made without one has a random number. */
export function uidOf(id: MessageId): number {
  let uid = 0;
  for (let at = id.length - NUMBER_DIGITS; at < id.length; at++) uid = uid * 32 + ULID_DIGITS.indexOf(id.charAt(at));
  return uid;
}

/** Returns the number of the next message of a mailbox whose newest message ever had this id. */
export function nextUid(lastId: MessageId | null): number {
  const last = lastId === null ? 0 : uidOf(lastId);
  return last >= MOST_UID ? 1 : last + 1;
}

/** Tells whether a UID can have this number. */
export function isUid(number: number): boolean {
  return number >= 1 && number <= MOST_UID;
}

/** Writes a number as the last digits of an id. */
export function numberDigits(number: number): string {
  return ulidDigits(number, NUMBER_DIGITS);
}

// The mails of some other catchers have UUIDs. A ULID is 128 bits too, so each has exactly one form as the other.

/** Writes a ULID as a UUID. */
export function uuidOf(id: Ulid): string {
  let number = 0n;
  for (const digit of id) number = number * 32n + BigInt(ULID_DIGITS.indexOf(digit));
  const hex = number.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Reads a UUID as a ULID. Returns null if the text is none. */
export function ulidOfUuid<Id extends Ulid>(text: string): Id | null {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return null;
  let number = BigInt(`0x${text.replaceAll('-', '')}`);
  let digits = '';
  for (let i = 0; i < 26; i++, number /= 32n) digits = ULID_DIGITS.charAt(Number(number % 32n)) + digits;
  return parseUlid<Id>(digits);
}

// Attachments have ULIDs (docs/api.md#conventions). Each is derived from the message's id and the position, so nothing
// is stored and every parse gives the same ids.

/**
 * The number of characters for the position. Three hold 32,768 positions, and a mail with more than 10,000 parts is not
 * parsed.
 */
const DIGITS = 3;
const STEM = 26 - DIGITS;

export function attachmentId(messageId: MessageId, position: number): Ulid {
  // The cast is safe: only the last characters of a ULID change, within the same alphabet.
  return (messageId.slice(0, STEM) + ulidDigits(position, DIGITS)) as Ulid;
}

/** Returns the position of an attachment of this message by its id, in either case. Null for any other text. */
export function attachmentPosition(messageId: MessageId, text: string): number | null {
  const id = parseUlid(text);
  if (id === null || id.slice(0, STEM) !== messageId.slice(0, STEM)) return null;
  return [...id.slice(STEM)].reduce((position, digit) => position * 32 + ULID_DIGITS.indexOf(digit), 0);
}

/** The number of mails that may be attached one within the other. */
const MAX_ATTACHED = 10;

interface AttachmentPlace {
  /** Its position in the message, or that of the attached mail it is in. */
  readonly position: number;
  /** Its position in each attached mail on the way, outermost first. It is empty for an attachment of the message. */
  readonly within: readonly number[];
}

/** Writes the id of an attachment of an attached mail: the id of that mail and the position, as in `01J….0`. */
export function nestedAttachmentId(attachedMail: string, position: number): string {
  return `${attachedMail}.${position}`;
}

/** Returns the place of an attachment by its id. Null for any other text. */
export function attachmentPlace(messageId: MessageId, text: string): AttachmentPlace | null {
  const [own = '', ...rest] = text.split('.', MAX_ATTACHED + 2);
  const position = attachmentPosition(messageId, own);
  const isPlace = rest.length <= MAX_ATTACHED && rest.every((one) => /^(?:0|[1-9]\d{0,4})$/.test(one));
  return position === null || !isPlace ? null : { position, within: rest.map(Number) };
}
