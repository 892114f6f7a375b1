import { isIP } from 'node:net';

// The MAIL and RCPT commands of RFC 5321 4.1.2, parsed leniently: mail under test should be seen, not refused for its
// style. An address keeps its written form; the domain code routes it.

export interface AddressCommand {
  /** '' for the null reverse-path. */
  readonly address: string;
  /** The ESMTP parameters by upper-case keyword. `true` stands for a keyword without a value. */
  readonly parameters: ReadonlyMap<string, string | true>;
  /** A keyword that appears more than once, or null. */
  readonly repeated: string | null;
  /** A keyword of no extension that the server offers, or null (RFC 5321 section 4.1.1.11). */
  readonly unknown: string | null;
}

/** The keywords of the extensions that EHLO lists. */
const KNOWN: Readonly<Record<'MAIL FROM' | 'RCPT TO', ReadonlySet<string>>> = {
  'MAIL FROM': new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH', 'REQUIRETLS']),
  'RCPT TO': new Set(['NOTIFY', 'ORCPT']),
};
/** An esmtp-keyword. Other text behind the address, such as a second address, is an error. */
const KEYWORD = /^[A-Z\d][A-Z\d-]*$/;

/**
 * The longest path, in characters. It allows twice a VERP sender of 1,024 characters and bounds the stored envelope.
 */
const MAX_PATH_LENGTH = 2_048;

/** Parses a command such as `MAIL FROM:<...> KEY=value`. Returns null if the syntax is wrong. */
export function parseAddressCommand(name: 'MAIL FROM' | 'RCPT TO', line: string): AddressCommand | null {
  const colon = line.indexOf(':');
  if (colon < 0 || line.slice(0, colon).trim().toUpperCase() !== name) return null;
  const open = skipSpaces(line, colon + 1);
  if (line.charAt(open) !== '<') return null;
  const close = closingBracket(line, open + 1);
  if (close < 0 || close - open > MAX_PATH_LENGTH) return null;
  const address = withoutSourceRoute(line.slice(open + 1, close));
  if (!isAddress(address, name)) return null;
  return close + 1 === line.length ? bare(address) : withParameters(address, line.slice(close + 1), KNOWN[name]);
}

const NO_PARAMETERS: ReadonlyMap<string, string | true> = new Map();

function bare(address: string): AddressCommand {
  return { address, parameters: NO_PARAMETERS, repeated: null, unknown: null };
}

function withParameters(address: string, text: string, known: ReadonlySet<string>): AddressCommand | null {
  const words = text.trim();
  if (words === '') return bare(address);
  if (!/^\s/.test(text)) return null;
  const parameters = new Map<string, string | true>();
  let repeated: string | null = null;
  let unknown: string | null = null;
  for (const word of words.split(/\s+/)) {
    const equals = word.indexOf('=');
    const key = (equals < 0 ? word : word.slice(0, equals)).toUpperCase();
    const value = equals < 0 ? true : decodeXtext(word.slice(equals + 1));
    if (!KEYWORD.test(key) || (value !== true && UNSAFE.test(value))) return null;
    if (parameters.has(key)) repeated = key;
    if (!known.has(key)) unknown = key;
    parameters.set(key, value);
  }
  return { address, parameters, repeated, unknown };
}

function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at++;
  return at;
}

/** Finds the `>` that ends the path. A `>` within a quoted local part does not end it. */
function closingBracket(line: string, from: number): number {
  if (!line.includes('"', from)) return line.indexOf('>', from);
  let quoted = false;
  for (let at = from; at < line.length; at++) {
    const char = line.charAt(at);
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (char === '>' && !quoted) return at;
  }
  return -1;
}

/** Removes a source route: `@a,@b:user@x` becomes user@x (RFC 5321 appendix C). */
function withoutSourceRoute(path: string): string {
  return path.startsWith('@') ? path.replace(/^@[^\s,:@"]+(?:,@[^\s,:@"]+)*:/, '') : path;
}

// Control characters, invisible characters and the replacement character of invalid UTF-8. They cannot be shown as sent.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffd]/;
const DOMAIN = /^[A-Za-z0-9_\u0080-\uffff-]+(\.[A-Za-z0-9_\u0080-\uffff-]+)*\.?$/;
const DOT_STRING = /^[^\s<>()[\]\\,;:@"]+$/;
// No two branches match the same character, so the pattern cannot backtrack far.
const QUOTED_STRING = /^"(?:[^"\\]|\\.)*"$/;

function isAddress(address: string, name: 'MAIL FROM' | 'RCPT TO'): boolean {
  if (address === '') return name === 'MAIL FROM';
  if (UNSAFE.test(address)) return false;
  const at = address.lastIndexOf('@');
  // A bare user of this host, as cron and PHP send it. RFC 5321 2.3.5 asks for a full domain.
  if (at < 0) return DOT_STRING.test(address) || QUOTED_STRING.test(address);
  const localPart = address.slice(0, at);
  return (DOT_STRING.test(localPart) || QUOTED_STRING.test(localPart)) && isDomain(address.slice(at + 1));
}

function isDomain(domain: string): boolean {
  if (!domain.startsWith('[')) return DOMAIN.test(domain);
  if (!domain.endsWith(']')) return false;
  const literal = domain.slice(1, -1);
  return isIP(/^ipv6:/i.test(literal) ? literal.slice(5) : literal) !== 0;
}

/** Decodes xtext (RFC 3461 4): `+XX` stands for a byte. */
function decodeXtext(value: string): string {
  if (!value.includes('+')) return value;
  return value.replace(/\+([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
