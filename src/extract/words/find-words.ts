import { ALL_WORDS } from './all-words.ts';
import {
  ALL_MEANINGS,
  type ExtraMeaning,
  LINK_MEANINGS,
  type LinkMeaning,
  MEANINGS,
  type Meaning,
} from './language.ts';

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
  /** The terms by a hash of their beginning: four characters, or all of a shorter one. The longest come first. */
  readonly terms: Map<number, Term<M>[]>;
  /** The parts of words, by a hash of their first two characters. */
  readonly parts: Map<number, WordPart<M>[]>;
  /**
   * The hashes of terms of four characters or more (4), of three (3) and of fewer (2), of the first two characters of
   * all (0), and of parts (1), as bits: few words of a mail begin so, and only these are looked up.
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
const BEYOND_ASCII = /[^\0-\x7f]/;
const ANY_ALIKE = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g');

/**
 * The signs before a word in the file of all words. The place of a sign is the number of first letters that the word has in
 * common with the word before it, which are left out. The words themselves have none of these signs.
 */
export const SHARED_SIGNS = '|!#&()+,/:<=>?^_{}~';
const SIGNED_WORD = new RegExp(`([\n;${SHARED_SIGNS}])([^\n;${SHARED_SIGNS}]*)`, 'g');

/** The words of each family of languages, those of one meaning together. */
const WORDS_BY_FAMILY = unpacked(ALL_WORDS)
  .split('\n')
  .map((family) => family.split(';'));

/**
 * Reads the form of the file: a capital names the block of 128 letters that stands for the letters from À on, and a word
 * begins as the one before it.
 */
function unpacked(written: string): string {
  let block = 0;
  const letters = written.replace(/[@-Z[]|[\u00c0-\u013f]/g, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x80) block = code === 0x40 ? 0 : (code - 0x3a) << 7;
    return code < 0x80 ? '' : block === 0 ? sign : String.fromCharCode(block + code - 0xc0);
  });
  let word = '';
  const words = `\n${letters}`.replace(SIGNED_WORD, (_, sign: string, end: string) => {
    const shared = SHARED_SIGNS.indexOf(sign);
    word = word.slice(0, Math.max(0, shared)) + end;
    return (shared < 0 ? sign : '|') + word;
  });
  return words.slice(1);
}

function wordsOf(family: readonly string[], meaning: Meaning | LinkMeaning | ExtraMeaning): string[] {
  const written = family[ALL_MEANINGS.indexOf(meaning)] ?? '';
  return written === '' ? [] : written.split('|');
}

/** Returns the words of all languages for a meaning that only few rules ask for. */
export function wordsFor(meaning: ExtraMeaning): readonly string[] {
  return WORDS_BY_FAMILY.flatMap((family) => wordsOf(family, meaning));
}

function lexiconOf<M extends Meaning | LinkMeaning>(meanings: readonly M[]): Lexicon<M> {
  const lexicon: Lexicon<M> = { terms: new Map(), parts: new Map(), begins: new Uint8Array(0x10000) };
  for (const family of WORDS_BY_FAMILY) {
    for (const meaning of meanings) for (const written of wordsOf(family, meaning)) add(lexicon, written, meaning);
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

/** A word that one language has whole and another as a stem has the meanings of both: `parool` and `parool*`. */
function addMeanings<M>(one: Term<M>, stem: Term<M> | undefined): void {
  for (const meaning of stem?.meanings ?? []) if (!one.meanings.includes(meaning)) one.meanings.push(meaning);
}

function add<M>(lexicon: Lexicon<M>, written: string, meaning: M): void {
  const isStem = written.endsWith('*');
  const term = spelledAlike(written.replace(/^\*|\*$/g, ''));
  if (written.startsWith('*')) {
    const key = hashOf(term, 0, 2);
    const parts = lexicon.parts.get(key) ?? [];
    const known = parts.findIndex((part) => part.term === term);
    const { isEnd = true, meanings = [] } = parts[known] ?? {};
    const part = { term, isEnd: isEnd && !isStem, meanings: [...new Set([...meanings, meaning])] };
    parts.splice(known < 0 ? parts.length : known, 1, part);
    lexicon.parts.set(key, parts);
    note(lexicon.begins, key, 1);
    return;
  }
  const size = Math.max(2, Math.min(BEGINNING, term.length));
  const key = hashOf(term, 0, size);
  note(lexicon.begins, hashOf(term, 0, 2), ANY);
  const terms = lexicon.terms.get(key) ?? [];
  lexicon.terms.set(key, terms);
  note(lexicon.begins, key, size);
  const known = terms.find((one) => one.term === term && one.isStem === isStem);
  if (known === undefined) terms.push({ term, isStem, meanings: [meaning] });
  else if (!known.meanings.includes(meaning)) known.meanings.push(meaning);
}

/** The bit of the first two characters of any term. */
const ANY = 0;
/** The characters of the beginning by which terms are found. */
const BEGINNING = 4;

/** A hash of some characters of a text. Beginnings of different characters may have one, so the term is compared too. */
function hashOf(text: string, at: number, size: number): number {
  let hash = 0;
  for (let i = at; i < at + size; i++) hash = nextHash(hash, text.charCodeAt(i));
  return hash;
}

function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 0x01000193) + unit) | 0;
}

function note(begins: Uint8Array, hash: number, bit: number): void {
  begins[placeOf(hash)] = (begins[placeOf(hash)] ?? 0) | (1 << bit);
}

function isNoted(begins: Uint8Array, hash: number, bit: number): boolean {
  return ((begins[placeOf(hash)] ?? 0) & (1 << bit)) !== 0;
}

function placeOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & 0xffff;
}

/**
 * Tells whether a character belongs to a script that separates words by spaces and leaves each whole: Latin, Greek,
 * Cyrillic, Armenian, and digits. The Armenian marks behind a word, such as ՝ for a colon, are none of its letters.
 */
function isSpaced(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  if (code >= 0x55a && code <= 0x55f) return false;
  return (code >= 0xc0 && code <= 0x58f && code !== 0xd7 && code !== 0xf7) || (code >= 0x1e00 && code <= 0x1fff);
}

const WORDS = lexiconOf(MEANINGS);
const LINK_WORDS = lexiconOf(LINK_MEANINGS);

/** Finds the words with a known meaning in any language, in order and without overlaps. Its cost is linear. */
export function wordsIn(text: string): Word[] {
  return find(WORDS, readable(text));
}

/** Like {@link wordsIn}, for the words that say something about links alone. */
export function linkWordsIn(text: string): Word<LinkMeaning>[] {
  return find(LINK_WORDS, readable(text));
}

/** Both at once. */
export function allWordsIn(text: string): readonly [readonly Word[], readonly Word<LinkMeaning>[]] {
  const read = readable(text);
  return [find(WORDS, read), find(LINK_WORDS, read)];
}

/** A text in lower case, as it is written and as it is compared. */
interface Readable {
  readonly written: string;
  readonly lower: string;
}

function readable(text: string): Readable {
  const written = lowerCase(text);
  return { written, lower: spelledAlike(written) };
}

function find<M extends string>(lexicon: Lexicon<M>, { written, lower }: Readable): Word<M>[] {
  const found: Word<M>[] = [];
  for (let at = 0; at < lower.length; ) {
    const isWord = isSpaced(lower.charCodeAt(at));
    const end = isWord ? wordEnd(lower, at + 1) : at + 1;
    const whole = wordAt(lexicon, lower, at);
    const word = isWord ? withPart(lexicon, lower, at, end, whole) : whole;
    if (word !== null)
      found.push({ meanings: word.meanings, words: written.slice(at, word.end), start: at, end: word.end });
    at = Math.max(end, word?.end ?? 0);
  }
  return found;
}

/** The meanings of a word, and where it ends. */
type Found<M extends string> = Pick<Word<M>, 'meanings' | 'end'>;

function wordAt<M extends string>(lexicon: Lexicon<M>, lower: string, at: number): Found<M> | null {
  const two = nextHash(nextHash(0, lower.charCodeAt(at)), lower.charCodeAt(at + 1));
  if (!isNoted(lexicon.begins, two, ANY)) return null;
  const three = nextHash(two, lower.charCodeAt(at + 2));
  const four = nextHash(three, lower.charCodeAt(at + 3));
  const { begins } = lexicon;
  return (
    (isNoted(begins, four, 4) ? termAt(lexicon, four, lower, at) : null) ??
    (isNoted(begins, three, 3) ? termAt(lexicon, three, lower, at) : null) ??
    (isNoted(begins, two, 2) ? termAt(lexicon, two, lower, at) : null)
  );
}

function termAt<M extends string>({ terms }: Lexicon<M>, hash: number, lower: string, at: number): Found<M> | null {
  for (const { term, isStem, meanings } of terms.get(hash) ?? []) {
    if (!lower.startsWith(term, at)) continue;
    let end = at + term.length;
    if (isSpaced(lower.charCodeAt(end - 1)) && isSpaced(lower.charCodeAt(end))) {
      if (!isStem) continue;
      end = wordEnd(lower, end);
    }
    return { meanings, end };
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
  whole: Found<M> | null,
): Found<M> | null {
  if (end - start < SHORTEST || end - start > LONGEST || (whole !== null && whole.end !== end)) return whole;
  for (let at = start + 1; at < end; ) {
    const hash = nextHash(nextHash(0, lower.charCodeAt(at)), lower.charCodeAt(at + 1));
    const all = isNoted(begins, hash, 1) ? parts.get(hash) : undefined;
    const part = all?.find(({ term }) => at + term.length <= end && lower.startsWith(term, at));
    if (part === undefined) at++;
    else if (part.isEnd && at + part.term.length !== end) at += part.term.length;
    else {
      const meanings = whole === null ? part.meanings : compounded(whole.meanings, part.meanings);
      return { meanings, end };
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
  if (!BEYOND_ASCII.test(text)) return text.replace(/[\t\n\v\f\r]/g, ' ').toLowerCase();
  return text
    .replaceAll('İ', 'i')
    .replace(/[^\S ]/g, ' ')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-')
    .toLowerCase();
}

/** Writes a text with one spelling of each such letter, without changing its length. */
function spelledAlike(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(ANY_ALIKE, (letter) => ALIKE.get(letter) ?? letter) : text;
}
