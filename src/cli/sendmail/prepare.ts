// This module converts mail from a caller of sendmail to a message for SMTP: it finds the recipients, removes Bcc, and
// ends lines with CRLF. It holds bytes as latin1 text, which keeps each byte as it is.

import { readAddresses } from '../../text/addresses.ts';
import { mailDate } from '../../text/mail-date.ts';

export interface PreparedMail {
  readonly recipients: readonly string[];
  /** The message with CRLF at its end. It is not dot-stuffed. */
  readonly message: Buffer;
}

export interface EnvelopeSender {
  /** The address of the envelope sender, without angle brackets. */
  readonly address: string;
  readonly fullName: string | null;
  /** The domain to add to an address without one. */
  readonly host: string;
  readonly now: Date;
  /** The unique part of the Message-ID. */
  readonly uniqueName: string;
}

interface Field {
  readonly name: string;
  /** The whole field as written, folded lines included. */
  readonly text: string;
}

const FIELD = /^([!-9;-~]+)[ \t]*:/;
const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'resent-to', 'resent-cc', 'resent-bcc']);

/** Returns the input up to a line with a single dot. It is not used if dots are ignored. */
export function untilDot(input: Buffer): Buffer {
  const text = input.toString('latin1');
  const end = /(?:^|\n)\.\r?(?:\n|$)/.exec(text);
  if (end === null) return input;
  return input.subarray(0, end.index + (end[0].startsWith('\n') ? 1 : 0));
}

export function prepare(
  input: Buffer,
  given: readonly string[],
  readsRecipients: boolean,
  sender: EnvelopeSender,
): PreparedMail {
  const { fields, body } = split(input.toString('latin1').replace(/\r?\n/g, '\r\n'));
  const named = readsRecipients ? fields.filter(({ name }) => RECIPIENT_FIELDS.has(name)).flatMap(addressesOf) : [];
  const recipients = [...new Set([...given.flatMap(addressesIn), ...named].map((one) => qualified(one, sender.host)))];
  const kept = readsRecipients ? fields.filter(({ name }) => name !== 'bcc' && name !== 'resent-bcc') : fields;
  const header = [...kept.map(({ text }) => text), ...missing(kept, sender)].join('');
  const text = `${header}\r\n${body}`;
  return { recipients, message: Buffer.from(/\r\n$/.test(text) ? text : `${text}\r\n`, 'latin1') };
}

/** Adds the host to an address without a domain, such as `root`. */
export function qualified(address: string, host: string): string {
  return address === '' || address.includes('@') ? address : `${address}@${host}`;
}

/** Splits a message into header fields and the rest. As in sendmail, a first line that is no field begins the body. */
function split(text: string): { fields: Field[]; body: string } {
  const fields: Field[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\r\n', at);
    const next = end === -1 ? text.length : end + 2;
    const line = text.slice(at, next);
    if (line === '\r\n') return { fields, body: text.slice(next) };
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined)
      fields[fields.length - 1] = { ...last, text: last.text + ended(line) };
    else {
      const name = FIELD.exec(line)?.[1];
      if (name === undefined) {
        // mbox programs also hand over the "From " line that divides messages.
        if (fields.length > 0 || !/^>?From /.test(line)) break;
      } else fields.push({ name: name.toLowerCase(), text: ended(line) });
    }
    at = next;
  }
  return { fields, body: text.slice(at) };
}

function ended(line: string): string {
  return line.endsWith('\r\n') ? line : `${line}\r\n`;
}

/**
 * Returns the required fields that the mail lacks, because its writer left them to sendmail (RFC 5322 section 3.6):
 * From, Date and Message-ID.
 */
function missing(fields: readonly Field[], { address, fullName, host, now, uniqueName }: EnvelopeSender): string[] {
  const has = (name: string) => fields.some((field) => field.name === name);
  const from = fullName === null ? address : `${phrase(fullName)} <${address}>`;
  return [
    ...(has('from') || address === '' ? [] : [`From: ${from}\r\n`]),
    ...(has('date') ? [] : [`Date: ${mailDate(now.getTime())}\r\n`]),
    ...(has('message-id') ? [] : [`Message-ID: <${uniqueName}@${host}>\r\n`]),
  ];
}

/** Formats a name as a phrase before an address (RFC 5322). Non-ASCII bytes stay as they are. */
function phrase(name: string): string {
  const bytes = Buffer.from(name.replace(/[\r\n\0]+/g, ' '), 'utf8').toString('latin1');
  return /^[\w !#$%&'*+/=?^`{|}~\u0080-\u00ff-]*$/.test(bytes) ? bytes : `"${bytes.replace(/["\\]/g, '\\$&')}"`;
}

function addressesOf({ text }: Field): string[] {
  return addressesIn(text.slice(text.indexOf(':') + 1));
}

/** Returns the addresses of a list, without names, quotes, comments and groups. A name without a domain is a user. */
export function addressesIn(list: string): string[] {
  return readAddresses(list)
    .map(({ name, address }) => address || name.replace(/\s+/g, ''))
    .filter((address) => address !== '');
}
