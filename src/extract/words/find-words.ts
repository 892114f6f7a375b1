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

/** A word or phrase, or a part of words such as `code` in `Bestätigungscode`. */
interface Term<M> {
  readonly term: string;
  /** Tells whether any ending may follow. */
  isStem: boolean;
  readonly meanings: M[];
}

/** The terms that begin alike. They are read when a text first has that beginning: most mails have few of them. */
interface Bucket<M> {
  readonly places: Place[];
  terms?: readonly Term<M>[];
}

/** The place of a word in the text of all words, and the number of its meaning. */
type Place = readonly [start: number, end: number, meaning: number];

/** The words of all languages that have some meanings. */
interface Lexicon<M> {
  /** The terms by a hash of their beginning: four characters, or all of a shorter one. The longest come first. */
  readonly terms: Map<number, Bucket<M>>;
  /** The parts of words, by a hash of their first two characters. */
  readonly parts: Map<number, Bucket<M>>;
  /**
   * The hashes of terms of four characters or more (4), of three (3) and of two (2), of the first two characters of
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
const SIGN = new RegExp(`([\n;${SHARED_SIGNS}])`);
/** The sign of a block of letters, which begins a run of them. */
const BLOCK = /(?=[@-Z[])/;

/** The words of all languages: a line for each family of them, with `;` between meanings and `|` between words. */
const ALL = unpacked(ALL_WORDS);
const WORDS_BY_FAMILY = ALL.split('\n').map((family) => family.split(';'));
/** The same with one spelling of each letter. */
const SPELLED = spelledAlike(ALL);

/**
 * Reads the form of the file: a capital names the block of 128 letters that stands for the letters from À on, and a word
 * begins as the one before it.
 */
function unpacked(written: string): string {
  const pieces = written.split(BLOCK).map(lettersOf).join('').split(SIGN);
  let word = pieces[0] ?? '';
  let words = word;
  for (let at = 1; at < pieces.length; at += 2) {
    const sign = pieces[at] ?? '';
    const shared = SHARED_SIGNS.indexOf(sign);
    word = word.slice(0, Math.max(0, shared)) + pieces[at + 1];
    words += (shared < 0 ? sign : '|') + word;
  }
  return words;
}

function lettersOf(run: string): string {
  const code = run.charCodeAt(0);
  if (code < 0x40 || code > 0x5b) return run;
  const block = (code - 0x3a) << 7;
  const letters = run.slice(1);
  if (code === 0x40) return letters;
  return letters.replace(/[\u00c0-\u013f]/g, (sign) => String.fromCharCode(block + sign.charCodeAt(0) - 0xc0));
}

/** Returns the words of all languages for a meaning that only few rules ask for. */
export function wordsFor(meaning: ExtraMeaning): readonly string[] {
  const place = ALL_MEANINGS.indexOf(meaning);
  return WORDS_BY_FAMILY.flatMap((family) => (family[place] ?? '').split('|')).filter((word) => word !== '');
}

/** Notes the places of the words that have one of these meanings. */
function lexiconOf<M extends Meaning | LinkMeaning>(meanings: readonly M[]): Lexicon<M> {
  const lexicon: Lexicon<M> = { terms: new Map(), parts: new Map(), begins: new Uint8Array(0x10000) };
  let start = 0;
  for (const family of WORDS_BY_FAMILY) {
    for (const [at, words] of family.entries()) {
      const isWanted = meanings.includes(ALL_MEANINGS[at] as M);
      for (const { length } of words.split('|')) {
        if (isWanted && length > 0) add(lexicon, [start, start + length, at]);
        // A `|`, a `;` or the end of a line follows.
        start += length + 1;
      }
    }
  }
  return lexicon;
}

function add<M>({ terms, parts, begins }: Lexicon<M>, place: Place): void {
  const [start, end] = place;
  const isPart = SPELLED[start] === '*';
  const first = start + Number(isPart);
  const length = end - first - Number(SPELLED[end - 1] === '*');
  const size = isPart ? 2 : Math.min(BEGINNING, length);
  const key = hashOf(SPELLED, first, size);
  note(begins, key, isPart ? 1 : size);
  if (!isPart) note(begins, hashOf(SPELLED, first, 2), ANY);
  const buckets = isPart ? parts : terms;
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, { places: [place] });
  else bucket.places.push(place);
}

/** Returns the terms that begin with a hash. */
function termsWith<M>(buckets: Map<number, Bucket<M>>, hash: number): readonly Term<M>[] {
  const bucket = buckets.get(hash);
  if (bucket === undefined) return [];
  bucket.terms ??= termsAt(bucket.places);
  return bucket.terms;
}

function termsAt<M>(places: readonly Place[]): readonly Term<M>[] {
  const terms: Term<M>[] = [];
  for (const [start, end, meaning] of places) {
    const written = SPELLED.slice(start, end);
    const term = written.replaceAll('*', '');
    const isStem = written.endsWith('*');
    // A part that may stand within a word may also stand at its end.
    const isPart = written.startsWith('*');
    // The lexicon has the places of its own meanings alone.
    const meanings = [ALL_MEANINGS[meaning] as M];
    const known = terms.find((one) => one.term === term && (isPart || one.isStem === isStem));
    if (known === undefined) terms.push({ term, isStem, meanings });
    else {
      known.isStem ||= isStem;
      addMeanings(known, meanings);
    }
  }
  for (const one of terms)
    if (!one.isStem) addMeanings(one, terms.find((stem) => stem.isStem && stem.term === one.term)?.meanings ?? []);
  return terms.sort((a, b) => b.term.length - a.term.length || Number(a.isStem) - Number(b.isStem));
}

/** A word that one language has whole and another as a stem has the meanings of both: `parool` and `parool*`. */
function addMeanings<M>(one: Term<M>, meanings: readonly M[]): void {
  for (const meaning of meanings) if (!one.meanings.includes(meaning)) one.meanings.push(meaning);
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
  for (const { term, isStem, meanings } of termsWith(terms, hash)) {
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
    const all = isNoted(begins, hash, 1) ? termsWith(parts, hash) : [];
    const part = all.find(({ term }) => at + term.length <= end && lower.startsWith(term, at));
    if (part === undefined) at++;
    else if (!part.isStem && at + part.term.length !== end) at += part.term.length;
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
