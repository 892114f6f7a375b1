import { isIP } from 'node:net';
import type { SmtpStage } from '../domain/smtp.ts';

// The end of data and dot-unstuffing (RFC 5321 4.1.1.4 and 4.5.2). Only CRLF ends a line:
//   - a line with a single dot ends the message: CRLF.CRLF, or .CRLF as the very first line;
//   - a dot at the start of a line is removed, whatever follows it;
//   - a bare CR or LF is content. It starts no line, so a dot after it is neither removed nor the end.

const CRLF_DOT = Buffer.from('\r\n.');
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const NOTHING = Buffer.alloc(0);
const HELD_CR = Buffer.from('\r');

/** The states: the position of the next byte in its line. */
const WITHIN = 0;
const AFTER_CR = 1;
const AT_START = 2;
/** The dot at the start of the line was removed. */
const AFTER_DOT = 3;
/** A CR followed the removed dot. It is held back and is content unless LF follows. */
const AFTER_DOT_CR = 4;

export interface DecodedChunk {
  /** The bytes of the message in this chunk. */
  readonly content: Buffer;
  /** The bytes after the end of the message. Null while the message goes on. */
  readonly rest: Buffer | null;
}

/**
 * Extracts a message from the bytes after DATA, however they are split into chunks. It moves content within the chunk
 * in place, so it owns the chunk.
 */
export class DataDecoder {
  #state = AT_START;

  decode(chunk: Buffer): DecodedChunk {
    // The CR held back from the previous chunk is content after all.
    const owesCr = this.#state === AFTER_DOT_CR && chunk[0] !== LF;
    const length = chunk.length;
    let at = 0;
    let kept = 0;
    let from = 0;
    let state = this.#state;

    while (at < length) {
      if (state === WITHIN) {
        const found = chunk.indexOf(CRLF_DOT, at);
        if (found < 0) {
          state = stateAtEnd(chunk, at);
          break;
        }
        kept = keep(chunk, kept, from, found + 2);
        from = at = found + 3;
        state = AFTER_DOT;
        continue;
      }
      const byte = chunk[at];
      if (state === AFTER_DOT_CR) {
        if (byte === LF) {
          this.#state = AT_START;
          return { content: content(chunk, kept, owesCr), rest: chunk.subarray(at + 1) };
        }
        state = AFTER_CR;
        continue;
      }
      if (state === AT_START && byte === DOT) {
        kept = keep(chunk, kept, from, at);
        from = at + 1;
        state = AFTER_DOT;
      } else if (byte === CR) {
        state = state === AFTER_DOT ? AFTER_DOT_CR : AFTER_CR;
      } else {
        state = state === AFTER_CR && byte === LF ? AT_START : WITHIN;
      }
      at++;
    }

    const holdsCr = state === AFTER_DOT_CR;
    const end = holdsCr ? length - 1 : length;
    this.#state = state;
    if (end > from) kept = keep(chunk, kept, from, end);
    return { content: content(chunk, kept, owesCr && length > 0), rest: null };
  }
}

function content(chunk: Buffer, kept: number, owesCr: boolean): Buffer {
  const bytes = kept === 0 ? NOTHING : chunk.subarray(0, kept);
  return owesCr ? Buffer.concat([HELD_CR, bytes]) : bytes;
}

function keep(chunk: Buffer, kept: number, from: number, to: number): number {
  if (from !== kept) chunk.copyWithin(kept, from, to);
  return kept + (to - from);
}

function stateAtEnd(chunk: Buffer, from: number): number {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return AFTER_CR;
  return chunk[last] === LF && last - 1 >= from && chunk[last - 1] === CR ? AT_START : WITHIN;
}

/**
 * The stage by the first four letters of a command, read as one number. Every command is looked up, so it must be fast.
 */
const STAGES: ReadonlyMap<number, SmtpStage> = new Map(
  (
    [
      ['EHLO', 'helo'],
      ['HELO', 'helo'],
      ['AUTH', 'auth'],
      ['MAIL', 'mail'],
      ['RCPT', 'rcpt'],
      ['DATA', 'data'],
    ] as const
  ).map(([name, stage]) => [Buffer.from(name).readInt32BE(), stage]),
);

const UPPER_CASE = 0xdfdfdfdf;

/** Returns the stage of a command, or null if it has none. */
export function stageOf(command: Buffer): SmtpStage | null {
  return command.length < 4 ? null : (STAGES.get(command.readInt32BE() & UPPER_CASE) ?? null);
}

/** Returns what follows the verb of a command. */
export function argumentOf(command: Buffer): string {
  const line = command.toString().trim();
  const space = line.search(/\s/);
  return space < 0 ? '' : line.slice(space).trim();
}

/** Returns an EHLO or HELO of one word. Some clients send the name of a computer with spaces. */
export function asOneWord(verb: 'EHLO' | 'HELO', name: string): Buffer {
  return Buffer.from(`${verb} ${name.replace(/\s+/g, '-')}`);
}

// The MAIL and RCPT commands of RFC 5321 4.1.2, parsed leniently: mail under test should be seen, not refused for its
// style. An address keeps its written form; the domain code routes it.

interface AddressCommand {
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
