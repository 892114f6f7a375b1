import { isUtf8 } from 'node:buffer';
import type { Field } from './header-block.ts';
import { libmime } from './late-packages.ts';

/** Returns the text of a field that should occur once. If it repeats, the last non-empty one counts. */
export function lastText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    const text = field?.name === name ? decodeHeader(name, field.value, budget) : null;
    if (text !== null) return text;
  }
  return null;
}

/** Returns the text of an address list. If the field repeats, all values are joined. */
export function listText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  let list: string | null = null;
  for (const field of fields) {
    const text = field.name === name ? decodeHeader(name, field.value, budget) : null;
    if (text !== null) list = list === null ? text : `${list}, ${text}`;
  }
  return list;
}

/** The header texts of a summary. They share one budget, so that summary and detail decode the same encoded words. */
export interface SummaryTexts {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
}

/** Reads the summary texts, the shortest first, so that address lists cannot use up the budget of the subject. */
export function summaryTexts(fields: readonly Field[]): SummaryTexts {
  const budget = new WordBudget();
  const subject = lastText(fields, 'subject', budget);
  const from = lastText(fields, 'from', budget);
  return { subject, from, to: listText(fields, 'to', budget), cc: listText(fields, 'cc', budget) };
}

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

// An encoded word replaces a word of a phrase or comment, never a part of an address (RFC 2047 5). The decoded text
// stays one word: it is quoted if it holds RFC 5322 specials, so a comma in a name does not split the list.

const WORD = String.raw`=\?[\w\-*]+\?[QqBb]\?[^?]*\?=`;
const WORDS = new RegExp(`${WORD}(?:\\s*${WORD})*`, 'y');
const SPECIALS = /[()<>[\]:;@\\,"]/;

type Place = 'phrase' | 'quoted' | 'comment' | 'address';

/** Decodes the encoded words of an address list with `decode`. Its cost is linear in the length. */
function decodeAddressWords(text: string, decode: (words: string) => string): string {
  let place: Place = 'phrase';
  let depth = 0;
  let out = '';
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === '=' && place !== 'address') {
      WORDS.lastIndex = at;
      const words = WORDS.exec(text);
      if (words !== null) {
        out += text.slice(from, at) + written(decode(words[0]), place);
        at = from = WORDS.lastIndex;
        continue;
      }
    } else if (char === '\\' && (place === 'quoted' || place === 'comment')) {
      at++;
    } else if (char === '"' && (place === 'phrase' || place === 'quoted')) {
      place = place === 'phrase' ? 'quoted' : 'phrase';
    } else if (char === '(' && (place === 'phrase' || place === 'comment')) {
      place = 'comment';
      depth++;
    } else if (char === ')' && place === 'comment') {
      if (--depth === 0) place = 'phrase';
    } else if (char === '<' && place === 'phrase') {
      place = 'address';
    } else if (char === '>' && place === 'address') {
      place = 'phrase';
    }
    at++;
  }
  return out + text.slice(from);
}

function written(decoded: string, place: Place): string {
  if (place === 'comment') return decoded.replace(/[()\\]/g, '\\$&');
  if (place === 'phrase' && !SPECIALS.test(decoded)) return decoded;
  const escaped = decoded.replace(/["\\]/g, '\\$&');
  return place === 'quoted' ? escaped : `"${escaped}"`;
}

/** The charsets that decode fast. The others use a table or shift sequences, or are unknown. */
const FAST = /^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d|koi8-[ru])(?:\*|$)/i;
const ENCODED_WORD = /=\?([\w\-*]+)\?[QqBb]\?([^?]*)\?=/g;

/** The budget of one header. It covers about 75 names in Chinese or 1,400 in UTF-8, which take 10 ms. */
const MOST = 1_500;

/** Limits the cost of decoding the encoded words of one mail's header. Words beyond the limit stay encoded. */
export class WordBudget {
  #left = MOST;

  /** Spends the cost of a text. Returns the number of characters, from its start, that may be decoded. */
  spend(text: string): number {
    for (const { 0: word, 1: charset = '', index } of text.matchAll(ENCODED_WORD)) {
      this.#left -= FAST.test(charset) ? 1 + word.length / 500 : 10 + word.length / 4;
      if (this.#left < 0) return index;
    }
    return text.length;
  }
}
