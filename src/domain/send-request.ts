import { distinctAddresses, type ListedAddress, parseAddress, parseAddressList } from './address-list.ts';
import { refuse } from './errors.ts';

export const MAX_RECIPIENTS = 100;

/** A hundred addresses with long names; encoded it stays below what is read of a header. */
const MAX_HEADER_LENGTH = 48 * 1024;

/** As it comes from outside. */
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

/** An email that can be composed. */
export interface Email {
  readonly from: ListedAddress;
  readonly to: readonly ListedAddress[];
  readonly cc: readonly ListedAddress[];
  readonly replyTo: readonly ListedAddress[];
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** To, cc and bcc in this order, as envelope addresses; who stands there more than once is one recipient. */
  readonly recipients: readonly string[];
}

/** Throws `invalid_body`: a malformed address, more than 100 recipients, no body, or a line break or NUL in a header field. */
export function parseSendRequest(fields: SendFields): Email {
  const { from: fromField, to: toField, cc: ccField, bcc: bccField, replyTo, subject = null } = fields;
  checkHeader([fromField, toField, ccField, bccField, replyTo, subject].join(''));
  const from = parseAddress(fromField ?? '');
  const to = listOf(toField);
  const cc = listOf(ccField);
  const recipients = distinctAddresses([...to, ...cc, ...listOf(bccField)]);
  const text = fields.textBody || null;
  const html = fields.htmlBody || null;
  const sendable = from !== null && to.length > 0 && recipients.length <= MAX_RECIPIENTS;
  if (!sendable || (text === null && html === null)) throw refuse('invalid_body');
  return { from, to, cc, replyTo: listOf(replyTo), subject, text, html, recipients };
}

function checkHeader(fields: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (fields.length > MAX_HEADER_LENGTH || /[\r\n\u0000]/.test(fields)) throw refuse('invalid_body');
}

/** A field that is null, missing or blank has no addresses. */
function listOf(field: string | null | undefined): ListedAddress[] {
  if (field === null || field === undefined || field.trim() === '') return [];
  const list = parseAddressList(field);
  if (list === null) throw refuse('invalid_body');
  return list;
}
