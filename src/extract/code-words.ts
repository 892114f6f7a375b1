import { type Word, wordsFor } from './words/find-words.ts';
import type { Meaning } from './words/language.ts';

/** The meaning of a word near a number: surely, probably or perhaps a code, or another kind of number. */
export type CodeMeaning = 'strong' | 'medium' | 'weak' | 'not';

/** A word that says something about the numbers around it. */
export interface CodeWord extends Word {
  readonly saying: CodeMeaning;
}

const SAYINGS: readonly (readonly [Meaning, CodeMeaning])[] = [
  ['oneTime', 'strong'],
  ['code', 'medium'],
  ['offer', 'not'],
  ['number', 'not'],
  ['password', 'weak'],
  ['verify', 'weak'],
  ['signIn', 'weak'],
  ['enter', 'weak'],
  ['reset', 'weak'],
];

/** Words that may tell what a code is for: `Your account code` is no number of the account. */
const PURPOSES = new Set(wordsFor('purpose'));
const HOLDERS = new Set(wordsFor('holder'));

/** Tells whether a word for another kind of number may also tell what a code is for. */
export function isPurpose({ words }: Word): boolean {
  return PURPOSES.has(words);
}

/** The text between a word for a code and another that tells its kind: `code client`, `código de cliente`. */
const OF = /^[ \u00A0](?:(?:de|del|della|di|do|da|des|du|van|af|av|за|для)[ \u00A0])?(?:(?:la|el|le|o|il)[ \u00A0])?$/;

/** What each set of meanings says. Words share their sets. */
const KNOWN = new WeakMap<readonly Meaning[], CodeMeaning | 'nothing'>();

function sayingOf(meanings: readonly Meaning[]): CodeMeaning | 'nothing' {
  const known = KNOWN.get(meanings);
  if (known !== undefined) return known;
  const saying = SAYINGS.find(([meaning]) => meanings.includes(meaning))?.[1] ?? 'nothing';
  KNOWN.set(meanings, saying);
  return saying;
}

/** Chooses the words that say something about the numbers around them, in order. `all` are the known words of the text. */
export function codeWordsIn(text: string, all: readonly Word[]): CodeWord[] {
  const found: CodeWord[] = [];
  for (const word of all) {
    const saying = sayingOf(word.meanings);
    if (saying !== 'nothing') found.push({ ...word, saying });
  }
  const phrases = joined(text, withOnce(text, found));
  return phrases.map((word, index) => inCompany(text, word, phrases[index - 1], phrases[index + 1]));
}

/** The characters beside a word in which something may say that it is used once. */
const BESIDE = 40;
/** In other scripts words are attached to each other. */
const STANDS_ALONE = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const ONCE_TERMS = wordsFor('once');
// One look at the letters around all terms: with one for each, V8 took a quarter of a second to compile the pattern.
const ONCE = [
  String.raw`(?<!\p{L})${anyOf(ONCE_TERMS.filter((term) => STANDS_ALONE.test(term)))}(?!\p{L})`,
  anyOf(ONCE_TERMS.filter((term) => !STANDS_ALONE.test(term))),
].join('|');
const ONCE_BEFORE = new RegExp(String.raw`(?:${ONCE})(?:の|[ \u00A0-])?$`, 'iu');
/** A possessive may stand between: `parola dumneavoastră unică`. */
const ONCE_AFTER = new RegExp(String.raw`^[ \u00A0-]?(?:\p{L}{2,13}\.?[ \u00A0])?(?:${ONCE})`, 'iu');
const SAYS_ONCE = new RegExp(ONCE, 'iu');

/** Tells whether a text says that something is used or paid once. */
export function saysOnce(text: string): boolean {
  return SAYS_ONCE.test(text);
}

/** Returns a pattern of terms, of which those with a `*` may have an ending. */
function anyOf(terms: readonly string[]): string {
  const written = (chosen: readonly string[]) => chosen.join('|').replaceAll('*', '').replaceAll('-', '[- ]');
  const stems = written(terms.filter((term) => term.endsWith('*')));
  return String.raw`(?:(?:${stems})\p{L}{0,12}|${written(terms.filter((term) => !term.endsWith('*')))})`;
}

/** A word for a code or a password beside one that says that it is used once is a phrase: `jednorazowego hasła`. */
function withOnce(text: string, words: readonly CodeWord[]): CodeWord[] {
  const found: CodeWord[] = [];
  for (const word of words) {
    const phrase = usedOnce(text, word);
    while (phrase.start <= (found.at(-1)?.start ?? -1)) found.pop();
    if (phrase.end > (found.at(-1)?.end ?? 0)) found.push(phrase);
  }
  return found;
}

function usedOnce(text: string, word: CodeWord): CodeWord {
  if (word.saying === 'strong' || !(word.meanings.includes('code') || word.meanings.includes('password'))) return word;
  const before = ONCE_BEFORE.exec(text.slice(Math.max(0, word.start - BESIDE), word.start))?.[0].length ?? 0;
  const after = ONCE_AFTER.exec(text.slice(word.end, word.end + BESIDE))?.[0].length ?? 0;
  if (before + after === 0) return word;
  return phraseOf(text, word.start - before, word.end + after, word.meanings);
}

/** Returns a phrase for a code to enter once. */
function phraseOf(text: string, start: number, end: number, meanings: readonly Meaning[]): CodeWord {
  const words = text.slice(start, end).toLowerCase();
  return { start, end, words, meanings: ['oneTime', ...meanings], saying: 'strong' };
}

/** What a code is for. Beside such a word, a word for a code means one to enter once. */
const PURPOSES_OF_CODES = ['verify', 'signIn', 'reset'] as const;

/** The text between the parts of a phrase such as `code de vérification`. */
const WITHIN = /^(?:[ \u00A0-]?|[ \u00A0](?:de|di|d'|za|pro|pre|for|til|för|für|van|για|за|для|на)[ \u00A0]?)$/;

/** The characters of the longest phrase. Words that follow each other without an end are several phrases. */
const LONGEST_PHRASE = 80;

/** A word for a code and one for its purpose are one phrase: `verification code`, `code de connexion`. */
function joined(text: string, words: readonly CodeWord[]): CodeWord[] {
  const found: CodeWord[] = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last !== undefined && isPhrase(text, last, word))
      found[found.length - 1] = phraseOf(text, last.start, word.end, [...last.meanings, ...word.meanings]);
    else found.push(word);
  }
  return found;
}

function isPhrase(text: string, one: CodeWord, other: CodeWord): boolean {
  if (one.saying === 'not' || other.saying === 'not' || other.end - one.start > LONGEST_PHRASE) return false;
  // "OTP code" and "OTP密碼" are one word more than "OTP".
  const isNoun = other.meanings.includes('code') || other.meanings.includes('password');
  if (one.saying === 'strong' && isNoun && /^ ?$/.test(text.slice(one.end, other.start))) return true;
  const purpose = one.meanings.includes('code') ? other : one;
  if (purpose === one ? !other.meanings.includes('code') : one.saying !== 'medium') return false;
  if (!PURPOSES_OF_CODES.some((meaning) => purpose.meanings.includes(meaning))) return false;
  return WITHIN.test(text.slice(one.end, other.start).replace('’', "'"));
}

/** A word for a code beside one for another kind of number means that kind: `order code`, `code commande`. */
function inCompany(text: string, word: CodeWord, before: CodeWord | undefined, after: CodeWord | undefined): CodeWord {
  if (word.saying !== 'medium') return word;
  if (before?.saying === 'not' && text.slice(before.end, word.start) === ' ' && !HOLDERS.has(before.words)) {
    return { ...word, saying: 'not', words: `${before.words} ${word.words}` };
  }
  if (after?.saying === 'not' && OF.test(text.slice(word.end, after.start))) {
    return { ...word, saying: 'not', words: `${word.words} ${after.words}` };
  }
  return word;
}
