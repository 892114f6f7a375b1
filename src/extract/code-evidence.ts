import {
  endsSentence,
  enteringVerb,
  type Introduced,
  introducedBy,
  isLabelOf,
  isListed,
  isTaken,
  leadsDirectly,
  leadsElsewhere,
  namedBy,
} from './code-introduced.ts';
import type { Lexeme, Shape } from './code-shapes.ts';
import { type CodeWord, isPurpose, type Saying } from './code-words.ts';
import { firstIndex } from './first-index.ts';

/** A text to search for codes, with its numbers and with the words that say something about numbers. */
export interface SearchedText {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  readonly words: readonly CodeWord[];
}

/** What the words on one side of a number say about it. */
export interface Side {
  readonly word: CodeWord | null;
  readonly introduced: Introduced;
  /** Tells whether at most two words separate the telling word and the number. */
  readonly isDirect: boolean;
}

/** What the words around a number say about it. */
export interface Evidence {
  readonly before: Side;
  readonly after: Side;
  /** The verb right before the number that asks to enter it. */
  readonly verb: string | null;
  /** The verb in its sentence that asks to enter something, with a few words between. */
  readonly verbNearby: string | null;
  /** The label of another kind of number that this one has. */
  readonly refuting: CodeWord | null;
  /** Tells whether its sentence speaks of another kind of number, without a label. */
  readonly isNearOther: boolean;
  /** Tells whether it follows "sent to", "until" or the like. */
  readonly isElsewhere: boolean;
  readonly endsSentence: boolean;
  /** Tells whether it ends a line, right after a colon. */
  readonly isLabelled: boolean;
}

const FAR = 160;
const MAX_WORDS = 8;
const NONE: Side = { word: null, introduced: 'not', isDirect: false };
/** A full stop before a small letter belongs to an abbreviation. */
const SENTENCE_END =
  /[!?。！？।](?:\s|$)|(?<!\b(?:[Rr]s|[Nn]o|[Nn]r|[Ss]t|[Rr]ef|[Tt]el|ca|Ltd|Inc))\.(?:\s+(?![\s\p{Ll}])|$)/u;

/** Matches a text without words, which may separate a label from a number below it. */
const HOLDS_NO_WORDS = /^[^\p{Ll}\p{Lo}]*$/u;
const CODE_OF_LETTERS = /^\s*[a-z0-9]{1,5}(?:-[a-z0-9]{1,5}){1,3}\s*$/;

/**
 * Collects the evidence for a shape. `taken` is the end of the previous number that a sentence calls a code; the words
 * before it are its label.
 */
export function evidenceFor(source: SearchedText, shape: Shape, isAlone: boolean, taken: number): Evidence {
  const { text } = source;
  const before = wordsBefore(source, shape, isAlone, taken);
  const after = before.refuting === null ? wordsAfter(source, shape, isAlone) : null;
  return {
    before: before.side,
    after: after?.side ?? NONE,
    verb: enteringVerb(text, shape.start),
    verbNearby: enteringNearby(source, shape),
    refuting: before.refuting ?? (isWord(before.side, 'strong', 'medium') ? null : (after?.refuting ?? null)),
    isNearOther: before.isNearOther || (after?.isNearOther ?? false),
    isElsewhere: leadsElsewhere(before.side.word, isAlone ? lineOf(before.side, text) : lineBefore(text, shape.start)),
    endsSentence: endsSentence(text, shape.end),
    isLabelled:
      /[:：፡፦]\s?$/.test(text.slice(Math.max(0, shape.start - 2), shape.start)) &&
      /^\s*(?:\n|$)/.test(text.slice(shape.end, shape.end + 8)),
  };
}

const APART = /[.!?。！？\n\p{N}]/u;
const WORDS_BEFORE = 4;
const CHARACTERS_AFTER = 24;

/** Finds a verb such as "enter" before the number, or behind it in the languages that end a sentence with it. */
function enteringNearby({ text, words }: SearchedText, shape: Shape): string | null {
  const next = firstIndex(words.length, (i) => (words[i]?.end ?? 0) > shape.start);
  for (let i = next - 1; i >= Math.max(0, next - 3); i--) {
    const word = words[i];
    if (word === undefined || word.saying === 'not' || shape.start - word.end > FAR / 2) break;
    if (word.meanings.includes('enter')) {
      const between = text.slice(word.end, shape.start);
      const isNear = !APART.test(between) && (between.match(/\p{L}+/gu)?.length ?? 0) <= WORDS_BEFORE;
      return isNear ? word.words : null;
    }
  }
  const after = words[next];
  if (after === undefined || after.start < shape.end || !after.meanings.includes('enter')) return null;
  const between = text.slice(shape.end, after.start);
  return between.length <= CHARACTERS_AFTER && !APART.test(between) ? after.words : null;
}

function isWord({ word }: Side, ...sayings: Saying[]): boolean {
  return word !== null && sayings.includes(word.saying);
}

function lineBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - 24), start);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** The rest of the line of a word. */
function lineOf({ word }: Side, text: string): string {
  return word === null ? '' : (text.slice(word.end, word.end + FAR).split('\n', 1)[0] ?? '');
}

interface Found {
  readonly side: Side;
  readonly refuting: CodeWord | null;
  readonly isNearOther: boolean;
}

function wordsBefore(source: SearchedText, shape: Shape, isAlone: boolean, taken: number): Found {
  const { text, lexemes, words } = source;
  const last = firstIndex(words.length, (i) => (words[i]?.end ?? 0) > shape.start) - 1;
  const lexeme = lexemes[firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= shape.start) - 1];
  let best: CodeWord | null = null;
  let purpose: CodeWord | null = null;
  let isNearOther = false;
  for (let i = last; i > last - MAX_WORDS; i--) {
    const word = words[i];
    if (word === undefined || shape.start - word.end > FAR) break;
    const between = text.slice(word.end, shape.start);
    if (!reaches(between, isAlone, best !== null || isNearOther)) break;
    if (word.saying === 'not') {
      // A label belongs to the first number after it.
      if (lexeme !== undefined && lexeme.start >= word.end) continue;
      if (best !== null) break;
      if (isLabelOf(between, isAlone)) {
        if (!isPurpose(word) || /^[ \u00A0#.]*$/.test(between)) return { side: NONE, refuting: word, isNearOther };
        purpose = word;
      }
      isNearOther = true;
    } else if (taken > word.end ? !isListed(text.slice(taken, shape.start)) : isTaken(text, lexemes, word, shape)) {
      // The word is the label of another number.
    } else if (best === null || ORDER[word.saying] > ORDER[best.saying]) {
      if (word.saying !== 'weak' || !(isNearOther || SENTENCE_END.test(between))) best = word;
    }
  }
  if (best === null) return { side: NONE, refuting: purpose, isNearOther };
  const between = text.slice(best.end, shape.start);
  const introduced = introducedAfter(best, between, isAlone, taken > best.end);
  return { side: { word: best, introduced, isDirect: leadsDirectly(between) }, refuting: null, isNearOther };
}

function introducedAfter(word: CodeWord, between: string, isAlone: boolean, isNext: boolean): Introduced {
  if (isNext) return 'explicitly';
  if (isAlone) return 'explicitly';
  return introducedBy(word, between);
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

function wordsAfter({ text, lexemes, words }: SearchedText, shape: Shape, isAlone: boolean): Found {
  const first = firstIndex(words.length, (i) => (words[i]?.start ?? 0) >= shape.end);
  const next = firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= shape.end);
  const lexeme = lexemes[next];
  let best: CodeWord | null = null;
  let isNearOther = false;
  for (let i = first; i < first + MAX_WORDS; i++) {
    const word = words[i];
    if (word === undefined || word.start - shape.end > FAR / 2 || (lexeme !== undefined && lexeme.end <= word.start))
      break;
    const between = text.slice(shape.end, word.start);
    const lines = between.split('\n').filter((line) => line.trim() !== '').length;
    if (SENTENCE_END.test(between) || (between.includes('\n') && (!isAlone || lines > 1))) break;
    if (word.saying === 'not') {
      const isLabelled = lexeme !== undefined && isLabelOf(text.slice(word.end, lexeme.start), false);
      const isNamed = (between.match(/\p{L}+/gu)?.length ?? 0) <= 1;
      if (best === null && !isLabelled && isNamed && (!between.includes('\n') || between.trim() === '')) {
        return { side: NONE, refuting: word, isNearOther };
      }
      if (best !== null || isLabelled || between.includes('\n')) break;
      isNearOther = true;
      continue;
    }
    if (best === null || ORDER[word.saying] > ORDER[best.saying]) best = word;
  }
  if (best === null) return { side: NONE, refuting: null, isNearOther };
  const introduced = isAlone || namedBy(text.slice(shape.end, best.start)) ? 'at once' : 'not';
  return { side: { word: best, introduced, isDirect: false }, refuting: null, isNearOther };
}

const ORDER = { strong: 3, medium: 2, weak: 1, not: 0 } as const;
