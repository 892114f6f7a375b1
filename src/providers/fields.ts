import { type ListedAddress, parseAddress, parseAddressList } from '../domain/address-list.ts';
import { mediaTypeOr } from '../domain/content.ts';
import { decodeHeader } from '../mail/header-text.ts';
import { isObject, jsonOrNull } from '../text/unknown.ts';
import { isUrl } from '../text/url.ts';

// Reading of what apps send. Each provider says with its own words what is wrong, so these return null for it.

/** An object of a JSON body. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns a value as an object; null if it is none. */
export function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** Parses a text as a JSON object. Null if it is none, or longer than an app needs: parsing takes the time of its fields. */
export function jsonObjectIn(text: unknown, longest: number): JsonObject | null {
  return isText(text) && text.length <= longest ? objectOf(jsonOrNull(text)) : null;
}

/** Returns a field of an object, which the object itself must have. */
export function fieldOf(given: JsonObject, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Tells whether a value is missing: undefined, null, or an empty text. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Tells whether a text is an http or https URL of ASCII characters, to which events can go. */
export function isWebUrl(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\//i.test(text) && /^[\x21-\x7e]+$/.test(text) && isUrl(text);
}

/** Characters that would end a header field, or that no header may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSAFE = /[\r\n\u0000]/;

/** Tells whether a text can be the value of a header field. */
export function isHeaderText(text: string): boolean {
  return !UNSAFE.test(text) && !/\p{Surrogate}/u.test(text);
}

/** The longest subject, in characters. */
const LONGEST_SUBJECT = 2_000;

/** Tells whether a text can be a subject. */
export function isSubject(text: string): boolean {
  return text.length <= LONGEST_SUBJECT && isHeaderText(text);
}

/** The longest value of a header field, in characters. */
const LONGEST_VALUE = 8 * 1024;
/** The header fields that a mail can be given beside its own, at most. */
const MOST_HEADERS = 100;

/** The header fields that frame the mail, or that other fields of a request set. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['from', 'to', 'cc', 'bcc', 'subject', 'reply-to', 'date', 'sender', 'message-id'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...['received', 'return-path', 'dkim-signature'],
]);

/** The further header fields of a mail, or the name of the first one that it can't have. */
export type CustomHeaders =
  | { readonly headers: readonly (readonly [string, string])[]; readonly messageId: string | null }
  | { readonly refused: string };

/**
 * Reads the header fields that an app adds. Its `Message-ID` is returned apart. Fields that the mail has anyway are
 * refused, and so is what would break a header.
 */
export function customHeaders(given: readonly (readonly [string, unknown])[]): CustomHeaders {
  const headers: (readonly [string, string])[] = [];
  let messageId: string | null = null;
  for (const [name, value] of given) {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    // RFC 5322 section 2.2 allows more in a name, and nothing reads that.
    const isName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,76}$/.test(name);
    if (!isName || !isText(text) || text.length > LONGEST_VALUE || !isHeaderText(text)) return { refused: name };
    if (name.toLowerCase() === 'message-id' && isMessageId(text.trim())) messageId = text.trim();
    else if (OWN_HEADERS.has(name.toLowerCase()) || headers.length >= MOST_HEADERS) return { refused: name };
    else headers.push([name, text]);
  }
  return { headers, messageId };
}

/** Tells whether a text is a Message-ID with its angle brackets. */
export function isMessageId(text: string): boolean {
  return /^<[^\s<>@]{1,200}@[^\s<>@]{1,200}>$/.test(text);
}

/** The longest name of a person or a file, in characters. */
const LONGEST_NAME = 1_000;

/**
 * Parses one address: `ada@x.test` or `Ada <ada@x.test>`. A name may hold characters that a header would quote, as in
 * `Shop: Orders <orders@x.test>`, because providers quote it. Null if it is none.
 */
export function addressIn(value: unknown): ListedAddress | null {
  if (!isText(value) || value.length > LONGEST_NAME || !isHeaderText(value)) return null;
  const text = value.trim();
  const parsed = parseAddress(text);
  const start = text.lastIndexOf('<');
  if (parsed !== null) return withReadName(parsed);
  if (start < 1 || !text.endsWith('>')) return null;
  return namedAddress(
    text.slice(start + 1, -1),
    text
      .slice(0, start)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  );
}

/** Decodes the encoded words of a name (RFC 2047): Amazon SES takes names in other letters only so. */
function withReadName(address: ListedAddress): ListedAddress {
  const { name } = address;
  return name?.includes('=?') ? { ...address, name: decodeHeader('subject', Buffer.from(name)) } : address;
}

/** The longest list of addresses, in characters: a thousand of them, with names. */
export const LONGEST_LIST = 400_000;

/** Parses a list of addresses with commas between them. Null if it is none. */
export function addressListIn(value: unknown): ListedAddress[] | null {
  return isText(value) && value.length <= LONGEST_LIST && isHeaderText(value) ? parseAddressList(value) : null;
}

/** Parses a list of addresses, or one with a name that a header would quote. Null if one is none. */
export function writtenAddresses(value: unknown): ListedAddress[] | null {
  const list = addressListIn(value);
  const one = list === null ? addressIn(value) : null;
  return one === null ? (list?.map(withReadName) ?? null) : [one];
}

/** Builds an address from an address and a name that stand apart. Null if one is invalid. */
export function namedAddress(address: unknown, name: unknown): ListedAddress | null {
  const parsed = isText(address) && address.length <= 320 ? parseAddress(address.trim()) : null;
  if (parsed === null || parsed.name !== null) return null;
  if (isMissing(name)) return parsed;
  return isText(name) && name.length <= LONGEST_NAME && isHeaderText(name) ? { ...parsed, name } : null;
}

/** Decodes base64, with line breaks or without padding as encoders write it. Null if it is something else. */
export function base64In(value: unknown): Buffer | null {
  if (!isText(value)) return null;
  const text = /\s/.test(value) ? value.replace(/\s/g, '') : value;
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : null;
}

/** Returns a filename that a header can have; null if the text can't be one. Directories are part of it, as they were sent. */
export function filenameIn(value: unknown): string | null {
  return isText(value) && value !== '' && value.length <= LONGEST_NAME && isHeaderText(value) ? value : null;
}

/** Returns a media type without its parameters, or null. */
export function mediaTypeIn(value: unknown): string | null {
  return isText(value) && isHeaderText(value) ? mediaTypeOr(value, '') || null : null;
}
