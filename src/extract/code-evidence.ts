import {
  enteringVerb,
  type Introduced,
  introducedBy,
  isListed,
  isTaken,
  leadsDirectly,
  leadsElsewhere,
  namedBy,
} from './code-introduced.ts';
import type { Lexeme, Shape } from './code-shapes.ts';
import type { Saying, Word } from './code-words.ts';
import { firstIndex } from './first-index.ts';

/** A text to search for codes, with its numbers and with the words that say something about numbers. */
export interface SearchedText {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  readonly words: readonly Word[];
}

/** The evidence that the words around a number give. */
export interface Evidence {
  /** The strength of the evidence. `not` means another kind of number. */
  readonly saying: Saying | 'nothing';
  readonly points: number;
  readonly reasons: readonly string[];
  readonly introduced: Introduced;
  /** Tells whether at most two words separate the telling word and the number. */
  readonly isDirect: boolean;
}

/** The points of each strength. They lie so far apart that emphasis never outweighs a stronger word. */
const POINTS = { strong: 60, medium: 40, weak: 25, not: 0 } as const;
const FAR = 160;
const MAX_WORDS = 8;
const NOTHING: Evidence = { saying: 'nothing', points: 0, reasons: [], introduced: 'not', isDirect: false };
const SENTENCE_END = /[.!?。！？](?:\s|$)/;

/** Words that may tell what a code is for. They mark another kind of number only if the number follows directly. */
const SOFT = new Set(
  'account|order|orders|payment|user|member|membership|customer|booking|reservation|phone|mobile|transaction|since|port|bestellung|auftrag|commande|compte|réservation|pedido|cuenta|conta|reserva|ordine|prenotazione|bestelling|boeking|zamówienie|zamówienia|заказ|заказа|sipariş|订单|訂單|账号|注文|予約|주문|예약|الطلب|הזמנה'.split(
    '|',
  ),
);
/** Matches a text without words, which may separate a label from a number below it. */
const HOLDS_NO_WORDS = /^[^\p{Ll}\p{Lo}]*$/u;
const CODE_OF_LETTERS = /^\s*[a-z0-9]{1,5}(?:-[a-z0-9]{1,5}){1,3}\s*$/;

/**
 * Collects the evidence for a shape. `taken` is the end of the previous number that was accepted as a code; the words
 * before it are its label.
 */
export function evidenceFor(source: SearchedText, shape: Shape, isAlone: boolean, taken: number): Evidence {
  const before = wordsBefore(source, shape, isAlone, taken);
  if (before.saying === 'not' || (before.saying !== 'nothing' && before.introduced !== 'not')) return before;
  const after = wordsAfter(source, shape, isAlone);
  if (after.saying === 'not' || (after.introduced !== 'not' && after.saying !== 'weak')) return after;
  if (before.saying === 'weak' || before.saying === 'nothing') return entered(source, shape, after) ?? before;
  return before;
}

/** Finds evidence such as `Enter 481516`. */
function entered({ text, words }: SearchedText, shape: Shape, after: Evidence): Evidence | null {
  const verb = enteringVerb(text, shape.start);
  if (verb === null) return null;
  // "Use" has many objects, so it counts only in a mail about codes.
  const isOfCodes = after.saying === 'weak' || words.some(({ saying }) => saying === 'strong' || saying === 'medium');
  if (/^(?:use|utilisez)$/.test(verb) && !isOfCodes) return null;
  return { saying: 'weak', points: POINTS.weak, reasons: [`after "${verb}"`], introduced: 'at once', isDirect: true };
}

function wordsBefore({ text, lexemes, words }: SearchedText, shape: Shape, isAlone: boolean, taken: number): Evidence {
  const last = firstIndex(words.length, (i) => (words[i]?.end ?? 0) > shape.start) - 1;
  const lexeme = lexemes[firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= shape.start) - 1];
  let best: Word | null = null;
  let denied: Word | null = null;
  for (let i = last; i > last - MAX_WORDS; i--) {
    const word = words[i];
    if (word === undefined || shape.start - word.end > FAR) break;
    const between = text.slice(word.end, shape.start);
    if (!reaches(between, isAlone, best !== null || denied !== null)) break;
    if (word.saying === 'not') {
      // A label belongs to the first number after it.
      if (lexeme !== undefined && lexeme.start >= word.end) continue;
      if (best !== null) break;
      if (!SOFT.has(word.words) || /^[ \u00A0#.]*$/.test(between)) return refused(word);
      denied = word;
    } else if (taken > word.end ? !isListed(text.slice(taken, shape.start)) : isTaken(text, lexemes, word, shape)) {
      // The word is the label of another number.
    } else if (best === null || isBetter(word.saying, best.saying)) {
      if (word.saying !== 'weak' || !(denied !== null || SENTENCE_END.test(between))) best = word;
    }
  }
  if (best === null) return denied === null ? NOTHING : refused(denied);
  const between = text.slice(best.end, shape.start);
  const introduced = introducedAfter(best, between, isAlone, taken > best.end);
  return { ...found(best, 'after', 0, introduced), isDirect: leadsDirectly(between) };
}

function introducedAfter(word: Word, between: string, isAlone: boolean, isNext: boolean): Introduced {
  if (isNext) return 'at once';
  if (isAlone) return leadsElsewhere(word, between.split('\n', 1)[0] ?? '') ? 'not' : 'explicitly';
  // `Log in: 481516` may be a user name.
  return word.saying === 'weak' ? 'not' : introducedBy(word, between);
}

/** Tells whether the text between a word and a number lets the word refer to the number. */
function reaches(between: string, isAlone: boolean, isFurther: boolean): boolean {
  const sentence = SENTENCE_END.test(between);
  if (isAlone && !isFurther)
    return between
      .split('\n')
      .slice(1)
      .every((line) => HOLDS_NO_WORDS.test(line.replace(CODE_OF_LETTERS, '')));
  // A line break may fall within a sentence.
  return !sentence && between.split('\n').length <= (isAlone ? 4 : 2) && (isAlone || !/\n\s*\n/.test(between));
}

function wordsAfter({ text, lexemes, words }: SearchedText, shape: Shape, isAlone: boolean): Evidence {
  const first = firstIndex(words.length, (i) => (words[i]?.start ?? 0) >= shape.end);
  const lexeme = lexemes[firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= shape.end)];
  let best: Word | null = null;
  for (let i = first; i < first + MAX_WORDS; i++) {
    const word = words[i];
    if (word === undefined || word.start - shape.end > FAR / 2 || (lexeme !== undefined && lexeme.end <= word.start))
      break;
    const between = text.slice(shape.end, word.start);
    const lines = between.split('\n').filter((line) => line.trim() !== '').length;
    if (SENTENCE_END.test(between) || (between.includes('\n') && (!isAlone || lines > 1))) break;
    if (word.saying === 'not') {
      if (best === null && (!between.includes('\n') || between.trim() === '')) return refused(word);
      break;
    }
    if (best === null || isBetter(word.saying, best.saying)) best = word;
  }
  if (best === null) return NOTHING;
  return found(best, 'before', 5, isAlone || namedBy(text.slice(shape.end, best.start)) ? 'at once' : 'not');
}

function refused({ words }: Word): Evidence {
  return { saying: 'not', points: 0, reasons: [`beside "${words}"`], introduced: 'not', isDirect: false };
}

function found(word: Word, where: 'after' | 'before', less: number, introduced: Introduced): Evidence {
  const points = Math.max(0, POINTS[word.saying] - less);
  return { saying: word.saying, points, reasons: [`${where} "${word.words}"`], introduced, isDirect: false };
}

const ORDER = { strong: 3, medium: 2, weak: 1, not: 0 } as const;

function isBetter(one: Saying, other: Saying): boolean {
  return ORDER[one] > ORDER[other];
}
