import { MEANINGS, type Meaning } from './language.ts';
import { LANGUAGES } from './languages.ts';

/** A word or phrase of a text whose meaning is known. */
export interface Word {
  readonly meanings: readonly Meaning[];
  /** The words in lower case. */
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

interface Term {
  readonly term: string;
  /** Tells whether any ending may follow. */
  readonly isStem: boolean;
  readonly meanings: Meaning[];
}

/** The terms by their first two characters, the longest first. */
const TERMS = new Map<number, Term[]>();
/** The ends and parts of words, such as `code` in `Bestätigungscode`. */
interface WordPart {
  readonly term: string;
  readonly isEnd: boolean;
  readonly meanings: Meaning[];
}

/** The parts by their first two characters, the longest first. */
const PARTS = new Map<number, WordPart[]>();
/**
 * The pairs of characters with which terms (1) and parts (2) begin, by a hash: few words of a mail begin so, and only
 * these are looked up.
 */
const BEGINS = new Uint8Array(0x10000);

/**
 * Letters that writers exchange: the forms of alef, the ends of Arabic, Persian and Urdu words, Greek without accents as
 * capitals have it, the cedilla of Romanian, the Russian ё, and a joiner or a space between the parts of a Persian word.
 */
const ALIKE = new Map([
  ...[...'أإآٱ'].map((letter) => [letter, 'ا'] as const),
  ...[...'ةۀہ'].map((letter) => [letter, 'ه'] as const),
  ...[...'ىی'].map((letter) => [letter, 'ي'] as const),
  ...[...'άέήίϊΐόύϋΰώς'].map((letter, at) => [letter, 'αεηιιιουυυωσ'[at] ?? letter] as const),
  ...[...'کșțё\u200c'].map((letter, at) => [letter, 'كşţе '[at] ?? letter] as const),
]);
const ANY_ALIKE = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g');

for (const language of LANGUAGES) {
  for (const meaning of MEANINGS) for (const written of language[meaning].split('|')) add(written, meaning);
}
for (const terms of TERMS.values()) terms.sort((a, b) => b.term.length - a.term.length);
for (const parts of PARTS.values()) parts.sort((a, b) => b.term.length - a.term.length);

function add(written: string, meaning: Meaning): void {
  const isStem = written.endsWith('*');
  const term = spelledAlike(written.replace(/^\*|\*$/g, ''));
  if (written.startsWith('*')) {
    const parts = PARTS.get(keyAt(term, 0)) ?? [];
    const known = parts.findIndex((part) => part.term === term);
    const { isEnd = true, meanings = [] } = parts[known] ?? {};
    const part = { term, isEnd: isEnd && !isStem, meanings: merged(meanings, [meaning]) };
    parts.splice(known < 0 ? parts.length : known, 1, part);
    PARTS.set(keyAt(term, 0), parts);
    begin(term, 2);
    return;
  }
  const key = keyAt(term, 0);
  const terms = TERMS.get(key) ?? [];
  TERMS.set(key, terms);
  begin(term, 1);
  const known = terms.find((one) => one.term === term && one.isStem === isStem);
  if (known === undefined) terms.push({ term, isStem, meanings: [meaning] });
  else if (!known.meanings.includes(meaning)) known.meanings.push(meaning);
}

function merged(one: readonly Meaning[], other: readonly Meaning[]): Meaning[] {
  return [...new Set([...one, ...other])];
}

function begin(term: string, bit: number): void {
  const at = hashAt(term, 0);
  BEGINS[at] = (BEGINS[at] ?? 0) | bit;
}

function begins(text: string, at: number, bit: number): boolean {
  return ((BEGINS[hashAt(text, at)] ?? 0) & bit) !== 0;
}

function hashAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 131 + (at + 1 < text.length ? text.charCodeAt(at + 1) : 0)) & 0xffff;
}

/** A key of two characters. Keys of different characters may be equal, so the term is compared too. */
function keyAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 0x7fff) << 15) | (at + 1 < text.length ? text.charCodeAt(at + 1) & 0x7fff : 0);
}

/**
 * Tells whether a character belongs to a script that separates words by spaces and leaves each whole: Latin, Greek,
 * Cyrillic, Armenian, and digits.
 */
function isSpaced(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return (code >= 0xc0 && code <= 0x58f && code !== 0xd7 && code !== 0xf7) || (code >= 0x1e00 && code <= 0x1fff);
}

/** Finds the words with a known meaning in any language, in order and without overlaps. Its cost is linear. */
export function wordsIn(text: string): Word[] {
  const written = lowerCase(text);
  const lower = spelledAlike(written);
  const found: Word[] = [];
  for (let at = 0; at < lower.length; ) {
    const isWord = isSpaced(lower.charCodeAt(at));
    const end = isWord ? wordEnd(lower, at + 1) : at + 1;
    const whole = wordAt(lower, at);
    const word = isWord ? withPart(lower, at, end, whole) : whole;
    if (word !== null) found.push({ ...word, words: written.slice(word.start, word.end) });
    at = Math.max(end, word?.end ?? 0);
  }
  return found;
}

function wordAt(lower: string, at: number): Word | null {
  const terms = begins(lower, at, 1) ? TERMS.get(keyAt(lower, at)) : undefined;
  if (terms === undefined) return null;
  for (const { term, isStem, meanings } of terms) {
    if (!lower.startsWith(term, at)) continue;
    let end = at + term.length;
    if (isSpaced(lower.charCodeAt(end - 1)) && isSpaced(lower.charCodeAt(end))) {
      if (!isStem) continue;
      end = wordEnd(lower, end);
    }
    return { meanings, words: lower.slice(at, end), start: at, end };
  }
  return null;
}

function wordEnd(lower: string, from: number): number {
  let end = from;
  while (end < lower.length && isSpaced(lower.charCodeAt(end))) end++;
  return end;
}

/** The lengths of words that may be compounds. */
const SHORTEST = 5;
const LONGEST = 40;

/** Finds compounds such as `Hofcode`: unknown ones, and those that begin with a known word. */
function withPart(lower: string, start: number, end: number, whole: Word | null): Word | null {
  if (end - start < SHORTEST || end - start > LONGEST || (whole !== null && whole.end !== end)) return whole;
  for (let at = start + 1; at < end; ) {
    const part = begins(lower, at, 2) ? partAt(lower, at, end) : null;
    if (part === null) at++;
    else if (part.isEnd && at + part.term.length !== end) at += part.term.length;
    else {
      const meanings = whole === null ? part.meanings : compounded(whole.meanings, part.meanings);
      return { meanings, words: lower.slice(start, end), start, end };
    }
  }
  return whole;
}

function partAt(lower: string, at: number, end: number): WordPart | null {
  const parts = PARTS.get(keyAt(lower, at));
  return parts?.find(({ term }) => at + term.length <= end && lower.startsWith(term, at)) ?? null;
}

/** A word such as `Anmeldecode` is a code to sign in with; `Gutscheincode` stays what its beginning says. */
function compounded(beginning: readonly Meaning[], end: readonly Meaning[]): readonly Meaning[] {
  const isOther = beginning.some((meaning) => meaning === 'number' || meaning === 'offer');
  if (isOther || !end.includes('code') || beginning.includes('code')) return beginning;
  return beginning.includes('oneTime') ? beginning : ['oneTime', ...beginning];
}

/** Lower-cases a text and makes white space, apostrophes and hyphens plain, without changing its length. */
function lowerCase(text: string): string {
  return text
    .replaceAll('İ', 'i')
    .replace(/[^\S ]/g, ' ')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-')
    .toLowerCase();
}

/** Writes a text with one spelling of each such letter, without changing its length. */
function spelledAlike(text: string): string {
  return text.replace(ANY_ALIKE, (letter) => ALIKE.get(letter) ?? letter);
}
