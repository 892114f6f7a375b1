import { distinctAddresses, type ListedAddress, parseAddress, parseAddressList } from './address-list.ts';
import { refuse } from './errors.ts';

export const MAX_RECIPIENTS = 100;

/**
 * The largest sum of all header fields, in characters. It allows a hundred addresses with long names. Encoded, it stays
 * below the limit for reading a header.
 */
const MAX_HEADER_LENGTH = 48 * 1024;

/** The fields of a send request, not yet checked. */
export interface SendFields {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly cc?: string | null | undefined;
  readonly bcc?: string | null | undefined;
  readonly replyTo?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly textBody?: string | null | undefined;
  readonly htmlBody?: string | null | undefined;
}

/** A valid email, ready to be composed. */
export interface Email {
  readonly from: ListedAddress;
  /** It is empty if `to` had only empty groups, as `undisclosed-recipients:;` is. */
  readonly to: readonly ListedAddress[];
  readonly cc: readonly ListedAddress[];
  readonly replyTo: readonly ListedAddress[];
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** The envelope addresses of To, Cc and Bcc in this order, each recipient once. */
  readonly recipients: readonly string[];
}

/**
 * Parses a send request. Throws `invalid_body` for a malformed address, a missing `to`, no recipient or more than 100, a
 * missing body, or a line break or NUL in a header field.
 */
export function parseSendRequest(fields: SendFields): Email {
  const { from: fromField, to: toField, cc: ccField, bcc: bccField, replyTo, subject = null } = fields;
  checkHeader([fromField, toField, ccField, bccField, replyTo, subject].join(''));
  const from = parseAddress(fromField ?? '');
  const to = listOf(toField);
  const cc = listOf(ccField);
  const recipients = distinctAddresses([...to, ...cc, ...listOf(bccField)]);
  const text = fields.textBody || null;
  const html = fields.htmlBody || null;
  if (from === null || isBlank(toField) || (text === null && html === null)) throw refuse('invalid_body');
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS) throw refuse('invalid_body');
  return { from, to, cc, replyTo: listOf(replyTo), subject, text, html, recipients };
}

function checkHeader(fields: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (fields.length > MAX_HEADER_LENGTH || /[\r\n\u0000]/.test(fields)) throw refuse('invalid_body');
}

/** Parses an address field. A null, missing or blank field has no addresses. */
function listOf(field: string | null | undefined): ListedAddress[] {
  if (isBlank(field)) return [];
  const list = parseAddressList(field);
  if (list === null) throw refuse('invalid_body');
  return list;
}

function isBlank(field: string | null | undefined): field is '' | null | undefined {
  return field === null || field === undefined || field.trim() === '';
}
