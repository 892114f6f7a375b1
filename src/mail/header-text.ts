import { isUtf8 } from 'node:buffer';
import { decodeAddressWords } from './address-words.ts';
import { libmime } from './libmime.ts';
import { WordBudget } from './word-budget.ts';

/** The header fields whose value is an address list. */
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
// Control characters, such as terminal escapes, and all line breaks of Unicode.
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
// The characters that Latin-1 labels mean in practice (WHATWG Encoding). Node 20's decoder leaves these 32 as control
// characters.
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes a header value: it unfolds lines, decodes encoded words (RFC 2047), and reads raw bytes as UTF-8 (RFC 6532)
 * or else as Latin-1. Summary, detail and filters all use it. Returns null if no text is left. It never throws. Values
 * that share a `budget` share the cost of decoding encoded words.
 */
export function decodeHeader(name: string, value: Buffer, budget: WordBudget = new WordBudget()): string | null {
  const bytes = value.toString('latin1').trim();
  const hasWords = bytes.includes('=?');
  if (PLAIN.test(bytes) && !hasWords) return bytes === '' ? null : bytes;
  const unfolded = rawText(hasWords ? withAsciiWords(bytes) : value).replace(FOLD, ' ');
  const text = hasWords ? decoded(name, unfolded, budget) : unfolded;
  return withoutControls(text) || null;
}

/** Replaces every control character by a space, which makes a text safe to print. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, ' ').trim();
}

function rawText(value: Buffer): string {
  if (isUtf8(value)) return value.toString();
  return value.toString('latin1').replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
}

const Q_WORD = /=\?([\w\-*]+)\?[Qq]\?([^?]*)\?=/g;
const RAW = /[\x80-\xff]/g;

/** Escapes raw bytes within encoded words, so that the word's charset decodes them once, with the rest of the word. */
function withAsciiWords(bytes: string): Buffer {
  const text = bytes.replace(Q_WORD, (word, charset: string, content: string) => {
    const raw = content.match(RAW);
    if (raw === null) return word;
    const escaped = content.replace(RAW, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase()}`);
    return `=?${charsetOf(charset, content)}?Q?${escaped}?=`;
  });
  return Buffer.from(text, 'latin1');
}

/**
 * Returns the charset of raw bytes in an encoded word: UTF-8 if they are valid, or else Latin-1. If the word also has
 * non-ASCII escapes, its own charset counts.
 */
function charsetOf(said: string, content: string): string {
  if (/=[89a-f][0-9a-f]/i.test(content)) return said;
  if (isUtf8(Buffer.from(content, 'latin1'))) return 'utf-8';
  return /^(?:utf-?8|us-ascii|ascii)(?:\*|$)/i.test(said) ? 'windows-1252' : said;
}

function decoded(name: string, text: string, budget: WordBudget): string {
  const end = budget.spend(text);
  const affordable = text.slice(0, end);
  const rest = text.slice(end);
  try {
    const read = ADDRESS_HEADERS.has(name) ? decodeAddressWords(affordable, decodeWords) : decodeWords(affordable);
    return read + rest;
  } catch {
    return text;
  }
}

function decodeWords(text: string): string {
  return libmime().decodeWords(text);
}
