import { ALL_WORDS } from './all-words.ts';
import { ALL_MEANINGS, LINK_MEANINGS, type LinkMeaning, MEANINGS, type Meaning } from './language.ts';

/** A word or phrase of a text whose meaning is known. */
export interface Word<M extends string = Meaning> {
  readonly meanings: readonly M[];
  /** The words in lower case. */
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

interface Term<M> {
  readonly term: string;
  /** Tells whether any ending may follow. */
  readonly isStem: boolean;
  readonly meanings: M[];
}

/** The end or a part of a word, such as `code` in `Bestätigungscode`. */
interface WordPart<M> {
  readonly term: string;
  readonly isEnd: boolean;
  readonly meanings: M[];
}

/** The words of all languages that have some meanings. */
interface Lexicon<M> {
  /** The terms by their first two characters, the longest first. */
  readonly terms: Map<number, Term<M>[]>;
  /** The parts of words, likewise. */
  readonly parts: Map<number, WordPart<M>[]>;
  /**
   * The pairs of characters with which terms (1) and parts (2) begin, by a hash: few words of a mail begin so, and only
   * these are looked up.
   */
  readonly begins: Uint8Array;
}

/**
 * Letters that writers exchange: the forms of alef, the ends of Arabic, Persian and Urdu words, Greek without accents as
 * capitals have it, the cedilla of Romanian, and the Russian ё.
 */
const ALIKE = new Map([
  ...[...'أإآٱ'].map((letter) => [letter, 'ا'] as const),
  ...[...'ةۀہ'].map((letter) => [letter, 'ه'] as const),
  ...[...'ىی'].map((letter) => [letter, 'ي'] as const),
  ...[...'άέήίϊΐόύϋΰώς'].map((letter, at) => [letter, 'αεηιιιουυυωσ'[at] ?? letter] as const),
  ...[...'کșțё'].map((letter, at) => [letter, 'كşţе'[at] ?? letter] as const),
]);
const ANY_ALIKE = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g');

function lexiconOf<M extends Meaning | LinkMeaning>(meanings: readonly M[]): Lexicon<M> {
  const lexicon: Lexicon<M> = { terms: new Map(), parts: new Map(), begins: new Uint8Array(0x10000) };
  const places = meanings.map((meaning) => [meaning, ALL_MEANINGS.indexOf(meaning)] as const);
  for (const family of wordsOf(ALL_WORDS).split('\n')) {
    const words = family.split(';');
    for (const [meaning, place] of places) {
      for (const written of words[place]?.split('|') ?? []) if (written !== '') add(lexicon, written, meaning);
    }
  }
  for (const terms of lexicon.terms.values()) {
    for (const one of terms) {
      if (!one.isStem)
        addMeanings(
          one,
          terms.find((stem) => stem.isStem && stem.term === one.term),
        );
    }
    terms.sort((a, b) => b.term.length - a.term.length || Number(a.isStem) - Number(b.isStem));
  }
  for (const parts of lexicon.parts.values()) parts.sort((a, b) => b.term.length - a.term.length);
  return lexicon;
}

/** Reads the words in the form of the file: a capital names the block of 128 letters that stands for the letters from À on. */
function wordsOf(written: string): string {
  let block = 0;
  return written.replace(/[@-Z[]|[\u00c0-\u013f]/g, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x80) block = code === 0x40 ? 0 : (code - 0x3a) << 7;
    return code < 0x80 ? '' : block === 0 ? sign : String.fromCharCode(block + code - 0xc0);
  });
}

/** A word that one language has whole and another as a stem has the meanings of both: `parool` and `parool*`. */
function addMeanings<M>(one: Term<M>, stem: Term<M> | undefined): void {
  for (const meaning of stem?.meanings ?? []) if (!one.meanings.includes(meaning)) one.meanings.push(meaning);
}

function add<M>(lexicon: Lexicon<M>, written: string, meaning: M): void {
  const isStem = written.endsWith('*');
  const term = spelledAlike(written.replace(/^\*|\*$/g, ''));
  const key = keyAt(term, 0);
  const hash = hashAt(term, 0);
  if (written.startsWith('*')) {
    const parts = lexicon.parts.get(key) ?? [];
    const known = parts.findIndex((part) => part.term === term);
    const { isEnd = true, meanings = [] } = parts[known] ?? {};
    const part = { term, isEnd: isEnd && !isStem, meanings: [...new Set([...meanings, meaning])] };
    parts.splice(known < 0 ? parts.length : known, 1, part);
    lexicon.parts.set(key, parts);
    lexicon.begins[hash] = (lexicon.begins[hash] ?? 0) | 2;
    return;
  }
  const terms = lexicon.terms.get(key) ?? [];
  lexicon.terms.set(key, terms);
  lexicon.begins[hash] = (lexicon.begins[hash] ?? 0) | 1;
  const known = terms.find((one) => one.term === term && one.isStem === isStem);
  if (known === undefined) terms.push({ term, isStem, meanings: [meaning] });
  else if (!known.meanings.includes(meaning)) known.meanings.push(meaning);
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

const WORDS = lexiconOf(MEANINGS);
const LINK_WORDS = lexiconOf(LINK_MEANINGS);

/** Finds the words with a known meaning in any language, in order and without overlaps. Its cost is linear. */
export function wordsIn(text: string): Word[] {
  return find(WORDS, text);
}

/** Like {@link wordsIn}, for the words that say something about links alone. */
export function linkWordsIn(text: string): Word<LinkMeaning>[] {
  return find(LINK_WORDS, text);
}

function find<M extends string>(lexicon: Lexicon<M>, text: string): Word<M>[] {
  const written = lowerCase(text);
  const lower = spelledAlike(written);
  const found: Word<M>[] = [];
  for (let at = 0; at < lower.length; ) {
    const isWord = isSpaced(lower.charCodeAt(at));
    const end = isWord ? wordEnd(lower, at + 1) : at + 1;
    const begins = lexicon.begins[hashAt(lower, at)] ?? 0;
    const whole = (begins & 1) === 0 ? null : wordAt(lexicon, lower, at);
    const word = isWord ? withPart(lexicon, lower, at, end, whole) : whole;
    if (word !== null) found.push({ ...word, words: written.slice(word.start, word.end) });
    at = Math.max(end, word?.end ?? 0);
  }
  return found;
}

function wordAt<M extends string>({ terms }: Lexicon<M>, lower: string, at: number): Word<M> | null {
  for (const { term, isStem, meanings } of terms.get(keyAt(lower, at)) ?? []) {
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
function withPart<M extends string>(
  { parts, begins }: Lexicon<M>,
  lower: string,
  start: number,
  end: number,
  whole: Word<M> | null,
): Word<M> | null {
  if (end - start < SHORTEST || end - start > LONGEST || (whole !== null && whole.end !== end)) return whole;
  for (let at = start + 1; at < end; ) {
    const all = ((begins[hashAt(lower, at)] ?? 0) & 2) === 0 ? undefined : parts.get(keyAt(lower, at));
    const part = all?.find(({ term }) => at + term.length <= end && lower.startsWith(term, at));
    if (part === undefined) at++;
    else if (part.isEnd && at + part.term.length !== end) at += part.term.length;
    else {
      const meanings = whole === null ? part.meanings : compounded(whole.meanings, part.meanings);
      return { meanings, words: lower.slice(start, end), start, end };
    }
  }
  return whole;
}

/** A word such as `Anmeldecode` is a code to sign in with; `Gutscheincode` stays what its beginning says. */
function compounded<M extends string>(beginning: readonly M[], end: readonly M[]): readonly M[] {
  const has = (all: readonly string[], meaning: Meaning) => all.includes(meaning);
  const isOther = has(beginning, 'number') || has(beginning, 'offer');
  if (isOther || !has(end, 'code') || has(beginning, 'code')) return beginning;
  return has(beginning, 'oneTime') ? beginning : (['oneTime', ...beginning] as M[]);
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
