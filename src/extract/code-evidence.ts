import type { Lexeme, Shape } from './code-shapes.ts';
import type { Saying, Word } from './code-words.ts';
import { firstIndex } from './first-index.ts';

/** A text in which codes are looked for, with all its numbers and telling words. */
export interface Source {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  readonly words: readonly Word[];
}

/** What the words around a number say of it. */
export interface Evidence {
  /** `not`: that it is another kind of number. */
  readonly saying: Saying | 'nothing';
  readonly points: number;
  readonly reasons: readonly string[];
}

const POINTS = { strong: 60, medium: 50, weak: 25 } as const;
const FAR = 160;
const MAX_WORDS = 8;
const NOTHING: Evidence = { saying: 'nothing', points: 0, reasons: [] };
const SENTENCE_END = /[.!?。！？](?:\s|$)/;

/** What a code may be for: it is another number only where that follows at once. */
const SOFT = new Set(
  'account|order|orders|payment|user|member|membership|customer|booking|reservation|phone|mobile|transaction|since|port|bestellung|auftrag|commande|compte|réservation|pedido|cuenta|conta|reserva|ordine|prenotazione|bestelling|boeking|zamówienie|zamówienia|заказ|заказа|sipariş|订单|訂單|账号|注文|予約|주문|예약|الطلب|הזמנה'.split(
    '|',
  ),
);
/** Between a label and the number below it there is nothing, or other numbers of a list. */
const HOLDS_NO_WORDS = /^[^\p{Ll}\p{Lo}]*$/u;

/** `taken` is where the last number before that was taken for a code ends: its label is its own. */
export function evidenceFor(source: Source, shape: Shape, isAlone: boolean, taken: number): Evidence {
  const before = wordsBefore(source, shape, isAlone, taken);
  if (before.saying !== 'nothing' && before.saying !== 'weak') return before;
  const after = wordsAfter(source, shape, isAlone);
  if (before.saying === 'nothing') return after;
  if (after.saying === 'nothing' || after.saying === 'not') return after.saying === 'not' ? after : before;
  return { saying: after.saying, points: before.points + after.points, reasons: [...before.reasons, ...after.reasons] };
}

function wordsBefore({ text, lexemes, words }: Source, shape: Shape, isAlone: boolean, taken: number): Evidence {
  const last = firstIndex(words.length, (i) => (words[i]?.end ?? 0) > shape.start) - 1;
  const lexeme = lexemes[firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= shape.start) - 1];
  let best: Word | null = null;
  let denied = false;
  for (let i = last; i > last - MAX_WORDS; i--) {
    const word = words[i];
    if (word === undefined || shape.start - word.end > FAR) break;
    const between = text.slice(word.end, shape.start);
    if (!reaches(between, isAlone, best !== null || denied)) break;
    if (word.saying === 'not') {
      // A label belongs to the first number after it.
      if (lexeme !== undefined && lexeme.start >= word.end) continue;
      if (!SOFT.has(word.words) || /^[ \u00A0#.]*$/.test(between)) {
        if (best !== null) break;
        return { saying: 'not', points: 0, reasons: [] };
      }
      if (best !== null) break;
      denied = true;
    } else if (
      taken > word.end &&
      !/^(?:[\s,/|]|or|and|und|oder|ou|et|o|y|e)*$/i.test(text.slice(taken, shape.start))
    ) {
    } else if (best === null || isBetter(word.saying, best.saying)) {
      if (word.saying !== 'weak' || !(denied || SENTENCE_END.test(between))) best = word;
    }
  }
  if (best === null) return denied ? { saying: 'not', points: 0, reasons: [] } : NOTHING;
  return found(best, 'after', 0);
}

/** The text between a word and a number keeps them together. */
function reaches(between: string, isAlone: boolean, isFurther: boolean): boolean {
  const sentence = SENTENCE_END.test(between);
  if (isAlone && !isFurther)
    return between
      .split('\n')
      .slice(1)
      .every((line) => HOLDS_NO_WORDS.test(line));
  // A text may be broken in the middle of a sentence.
  return !sentence && between.split('\n').length <= (isAlone ? 4 : 2) && (isAlone || !/\n\s*\n/.test(between));
}

function wordsAfter({ text, lexemes, words }: Source, shape: Shape, isAlone: boolean): Evidence {
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
      if (best === null && (!between.includes('\n') || between.trim() === ''))
        return { saying: 'not', points: 0, reasons: [] };
      break;
    }
    if (best === null || isBetter(word.saying, best.saying)) best = word;
  }
  return best === null ? NOTHING : found(best, 'before', 5);
}

function found(word: Word, where: 'after' | 'before', less: number): Evidence {
  const points = word.saying === 'not' ? 0 : POINTS[word.saying] - less;
  return { saying: word.saying, points, reasons: [`${where} "${word.words}"`] };
}

const ORDER = { strong: 3, medium: 2, weak: 1, not: 0 } as const;

function isBetter(one: Saying, other: Saying): boolean {
  return ORDER[one] > ORDER[other];
}
