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

for (const language of LANGUAGES) {
  for (const meaning of MEANINGS) for (const written of language[meaning].split('|')) add(written, meaning);
}
for (const terms of TERMS.values()) terms.sort((a, b) => b.term.length - a.term.length);
const PART = new RegExp([...PARTS.keys()].sort((a, b) => b.length - a.length).join('|'), 'g');

function add(written: string, meaning: Meaning): void {
  const isStem = written.endsWith('*');
  const term = written.replace(/^\*|\*$/g, '');
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
  const lower = lowerCase(text);
  const whole = wholeWords(lower);
  return withParts(lower, whole);
}

function wholeWords(lower: string): Word[] {
  const found: Word[] = [];
  let isInside = false;
  for (let at = 0; at < lower.length; ) {
    const code = lower.charCodeAt(at);
    const spaced = isSpaced(code);
    const word = spaced && isInside ? null : wordAt(lower, at);
    if (word === null) {
      isInside = spaced;
      at++;
    } else {
      found.push(word);
      at = word.end;
      isInside = false;
    }
  }
  return found;
}

function wordAt(lower: string, at: number): Word | null {
  for (const { term, isStem, meanings } of TERMS.get(keyAt(lower, at)) ?? []) {
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

/** The longest word. It bounds the cost of a text without spaces. */
const MAX_WORD = 64;

function wordEnd(lower: string, from: number): number {
  let end = from;
  while (end < lower.length && end - from < MAX_WORD && isSpaced(lower.charCodeAt(end))) end++;
  return end;
}

function wordStart(lower: string, from: number): number {
  let start = from;
  while (start > 0 && from - start < MAX_WORD && isSpaced(lower.charCodeAt(start - 1))) start--;
  return start;
}

/** Adds compounds such as `Bestätigungscode`: unknown ones, and those that begin with a known word. */
function withParts(lower: string, whole: readonly Word[]): Word[] {
  const found: Word[] = [];
  let next = 0;
  let taken = 0;
  PART.lastIndex = 0;
  for (let match = PART.exec(lower); match !== null; match = PART.exec(lower)) {
    const at = match.index;
    const part = PARTS.get(match[0]);
    const end = wordEnd(lower, at + match[0].length);
    if (part === undefined || at < taken || (part.isEnd && end !== at + match[0].length)) continue;
    const start = wordStart(lower, at);
    if (start === at) continue;
    for (; next < whole.length && (whole[next]?.end ?? 0) <= start; next++) found.push(whole[next] as Word);
    taken = end;
    const known = whole[next];
    if (known === undefined || known.start >= end) {
      found.push({ meanings: part.meanings, words: lower.slice(start, end), start, end });
    } else if (known.start === start && known.end === end) {
      found.push({ ...known, meanings: compounded(known.meanings, part.meanings) });
      next++;
    }
  }
  return [...found, ...whole.slice(next)];
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
