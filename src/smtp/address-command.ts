import { isIP } from 'node:net';

// RFC 5321 4.1.2, read generously: mail under test is to be seen, not refused for a sender's style.
// An address keeps the form it was written in; what it routes to is the domain's to say.

export interface AddressCommand {
  /** '' for the null reverse-path. */
  readonly address: string;
  /** ESMTP parameters, upper-case keywords; `true` where none has a value. */
  readonly parameters: ReadonlyMap<string, string | true>;
  /** A keyword given more than once. */
  readonly repeated: string | null;
}

/** Twice a 1,024-character VERP sender: what is kept of an envelope stays bounded. */
const MAX_PATH_LENGTH = 2_048;

/** `MAIL FROM:<...> KEY=value` taken apart, null when it is no such command. */
export function parseAddressCommand(name: 'MAIL FROM' | 'RCPT TO', line: string): AddressCommand | null {
  const colon = line.indexOf(':');
  if (colon < 0 || line.slice(0, colon).trim().toUpperCase() !== name) return null;
  const open = skipSpaces(line, colon + 1);
  if (line.charAt(open) !== '<') return null;
  const close = closingBracket(line, open + 1);
  if (close < 0 || close - open > MAX_PATH_LENGTH) return null;
  const address = withoutSourceRoute(line.slice(open + 1, close));
  if (!isAddress(address, name)) return null;
  return close + 1 === line.length ? bare(address) : withParameters(address, line.slice(close + 1));
}

const NO_PARAMETERS: ReadonlyMap<string, string | true> = new Map();

function bare(address: string): AddressCommand {
  return { address, parameters: NO_PARAMETERS, repeated: null };
}

function withParameters(address: string, text: string): AddressCommand | null {
  const words = text.trim();
  if (words === '') return bare(address);
  if (!/^\s/.test(text)) return null;
  const parameters = new Map<string, string | true>();
  let repeated: string | null = null;
  for (const word of words.split(/\s+/)) {
    const equals = word.indexOf('=');
    const key = (equals < 0 ? word : word.slice(0, equals)).toUpperCase();
    const value = equals < 0 ? true : decodeXtext(word.slice(equals + 1));
    if (key === '' || (value !== true && UNSAFE.test(value))) return null;
    if (parameters.has(key)) repeated = key;
    parameters.set(key, value);
  }
  return { address, parameters, repeated };
}

function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at++;
  return at;
}

/** The `>` that ends the path: one within a quoted local part does not. */
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

/** `@a,@b:user@x` is for user@x: a source route is accepted and ignored (RFC 5321 appendix C). */
function withoutSourceRoute(path: string): string {
  return path.startsWith('@') ? path.replace(/^@[^\s,:@"]+(?:,@[^\s,:@"]+)*:/, '') : path;
}

// Controls, invisible format characters, and what is left of bytes that are no UTF-8: none can be shown as it was sent.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffd]/;
const DOMAIN = /^[A-Za-z0-9_\u0080-\uffff-]+(\.[A-Za-z0-9_\u0080-\uffff-]+)*\.?$/;
const DOT_STRING = /^[^\s<>()[\]\\,;:@"]+$/;
// Possessive in effect: no two branches match the same character, so it can't backtrack far.
const QUOTED_STRING = /^"(?:[^"\\]|\\.)*"$/;

function isAddress(address: string, name: 'MAIL FROM' | 'RCPT TO'): boolean {
  if (address === '') return name === 'MAIL FROM';
  if (UNSAFE.test(address)) return false;
  const at = address.lastIndexOf('@');
  // As cron and PHP send on a machine of its own: a user of this host (RFC 5321 2.3.5 asks for more).
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

/** RFC 3461 4: `+XX` stands for a byte. */
function decodeXtext(value: string): string {
  if (!value.includes('+')) return value;
  return value.replace(/\+([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
