import { isUtf8 } from 'node:buffer';
import { decodeAddressWords } from './address-words.ts';
import { libmime } from './libmime.ts';

/** Headers whose value is a list of addresses. */
const ADDRESS_HEADERS: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'sender',
  'delivered-to',
  'return-path',
  'resent-from',
  'resent-to',
  'resent-cc',
  'resent-bcc',
  'resent-sender',
  'disposition-notification-to',
]);

const PLAIN = /^[\x20-\x7e]*$/;
const FOLD = /(?:\r?\n|\r)[ \t]*/g;
// Terminal escapes, line breaks (Unicode's too) and what else is no text.
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
// What Latin-1 means in practice (WHATWG Encoding); Node 20's own decoder leaves these 32 as control characters.
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * The text of a header's value: unfolded, encoded words decoded (RFC 2047), raw UTF-8 as it is (RFC 6532), other raw
 * bytes as Latin-1. Summary, detail and filters all read headers here. Null where nothing is left. Never throws.
 */
export function headerText(name: string, value: Buffer): string | null {
  const bytes = value.toString('latin1').trim();
  if (PLAIN.test(bytes) && !bytes.includes('=?')) return bytes === '' ? null : bytes;
  const unfolded = rawText(value).replace(FOLD, ' ');
  const text = unfolded.includes('=?') ? decoded(name, unfolded) : unfolded;
  return withoutControls(text) || null;
}

/** For eyes and terminals: a space for every control character. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, ' ').trim();
}

function rawText(value: Buffer): string {
  if (isUtf8(value)) return value.toString();
  return value.toString('latin1').replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
}

function decoded(name: string, text: string): string {
  try {
    return ADDRESS_HEADERS.has(name) ? decodeAddressWords(text, decodeWords) : decodeWords(text);
  } catch {
    return text;
  }
}

function decodeWords(text: string): string {
  return libmime().decodeWords(text);
}
