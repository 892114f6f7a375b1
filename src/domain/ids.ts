import { ULID_DIGITS } from '../text/ulid-digits.ts';

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
