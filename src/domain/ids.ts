// ULIDs are written as 26 upper-case Crockford characters and accepted in either case (docs/contract.md#ids-and-times).

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

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;

/** The ULID in its written form, or null when `text` is none. */
export function parseUlid<Id extends Ulid = Ulid>(text: string): Id | null {
  // The one place where a string becomes an id.
  return ULID.test(text) ? (text.toUpperCase() as Id) : null;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Milliseconds since 1970 held in a ULID's first ten characters. Never earlier than the receipt it was made for. */
export function ulidTime(id: Ulid): number {
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + ALPHABET.indexOf(id.charAt(i));
  return time;
}
