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
const PARTS = new Map<string, { readonly isEnd: boolean; readonly meanings: Meaning[] }>();

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
const PART = new RegExp([...PARTS.keys()].sort((a, b) => b.length - a.length).join('|'), 'g');

function add(written: string, meaning: Meaning): void {
  const isStem = written.endsWith('*');
  const term = spelledAlike(written.replace(/^\*|\*$/g, ''));
  if (written.startsWith('*')) {
    const part = PARTS.get(term);
    if (part === undefined) PARTS.set(term, { isEnd: !isStem, meanings: [meaning] });
    else PARTS.set(term, { isEnd: part.isEnd && !isStem, meanings: merged(part.meanings, [meaning]) });
    return;
  }
  const key = keyAt(term, 0);
  const terms = TERMS.get(key) ?? [];
  TERMS.set(key, terms);
  const known = terms.find((one) => one.term === term && one.isStem === isStem);
  if (known === undefined) terms.push({ term, isStem, meanings: [meaning] });
  else if (!known.meanings.includes(meaning)) known.meanings.push(meaning);
}

function merged(one: readonly Meaning[], other: readonly Meaning[]): Meaning[] {
  return [...new Set([...one, ...other])];
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
  const terms = TERMS.get(keyAt(lower, at));
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
  const words = lower.slice(start, end);
  PART.lastIndex = 1;
  for (let match = PART.exec(words); match !== null; match = PART.exec(words)) {
    const part = PARTS.get(match[0]);
    if (part === undefined || (part.isEnd && match.index + match[0].length !== words.length)) continue;
    const meanings = whole === null ? part.meanings : compounded(whole.meanings, part.meanings);
    return { meanings, words, start, end };
  }
  return whole;
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
