import { firstIndex } from '../text/first-index.ts';
import { A_WORD, firstFrom, type Lexeme, type Shape } from './code-shapes.ts';
import { type CodeMeaning, type CodeWord, isPurpose } from './code-words.ts';
import { wordsFor } from './words/find-words.ts';

/** A text to search for codes, with its numbers and with the words that say something about numbers. */
export interface SearchedText {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  readonly words: readonly CodeWord[];
}

/** What the words on one side of a number say about it. */
export interface Side {
  readonly word: CodeWord | null;
  readonly introduced: Introduction;
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

/** The characters between a number and a word that says something about it. */
export const FAR = 160;
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
    verb: enteringVerb(source, shape),
    verbNearby: enteringNearby(source, shape),
    refuting: before.refuting ?? (isWord(before.side, 'strong', 'medium') ? null : (after?.refuting ?? null)),
    isNearOther: before.isNearOther || (after?.isNearOther ?? false),
    isElsewhere: leadsElsewhere(before.side.word, isAlone ? lineOf(before.side, text) : lineBefore(text, shape.start)),
    endsSentence: endsSentence(text, shape.end),
    isLabelled: isLabelledAt(text, shape),
  };
}

/** Tells whether a number ends a line, right after a colon. */
export function isLabelledAt(text: string, { start, end }: Pick<Shape, 'start' | 'end'>): boolean {
  return (
    /[:：፡፦՝]\s?$/.test(text.slice(Math.max(0, start - 2), start)) && /^\s*(?:\n|$)/.test(text.slice(end, end + 8))
  );
}

const APART = /[.!?。！？\n\p{N}]/u;
const WORDS_BEFORE = 4;
const CHARACTERS_AFTER = 24;

/** Returns the index of the first word that ends after a position. */
function firstEndingAfter(words: readonly { readonly end: number }[], at: number): number {
  return firstIndex(words.length, (i) => (words[i]?.end ?? 0) > at);
}

/** Finds a verb such as "enter" before the number, or behind it in the languages that end a sentence with it. */
function enteringNearby({ text, words }: SearchedText, shape: Shape): string | null {
  const next = firstEndingAfter(words, shape.start);
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

function isWord({ word }: Side, ...sayings: CodeMeaning[]): boolean {
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

/** The end of the sentence before a number, right in front of the number. */
const LAST_STOP = /["'”»)]?[.!。！][ \u00A0]{0,2}$/u;
const SENTENCE_BEFORE = /\p{L}{2}["'”»)]?(?:[.!][ \u00A0]{1,2}|[。！][ \u00A0]?)$/u;
/** Abbreviations that stand in front of numbers: `Kundennr. 4815`, `Hauptstr. 48`. */
const SHORTENED = /(?:n[ro]|num|núm|nº|str|tel|ref|art|pos|čís|č|sz|št|бр|тел|ул|стр|кв)\.[ \u00A0]{1,2}$/iu;
/** The characters on each side of a number that tell whether it is a sentence. */
const BESIDE = 12;

/** Tells whether a number is the last sentence of its line: "Use the following code to sign in. 481516". */
function isSentence(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - BESIDE), start);
  const isAfterSentence = SENTENCE_BEFORE.test(before) && !SHORTENED.test(before);
  return isAfterSentence && /^[.!]?\s*(?:\n|$)/.test(text.slice(end, end + BESIDE));
}

function wordsBefore(source: SearchedText, shape: Shape, isAlone: boolean, taken: number): Found {
  const { text, lexemes, words } = source;
  const isLast = taken < 0 && isSentence(text, shape);
  const isApart = isAlone || isLast;
  const last = firstEndingAfter(words, shape.start) - 1;
  const lexeme = lexemes[firstFrom(lexemes, shape.start) - 1];
  let best: CodeWord | null = null;
  let purpose: CodeWord | null = null;
  let isNearOther = false;
  for (let i = last; i > last - MAX_WORDS; i--) {
    const word = words[i];
    if (word === undefined || shape.start - word.end > FAR) break;
    const between = text.slice(word.end, shape.start);
    if (!reaches(isLast ? between.replace(LAST_STOP, '') : between, isAlone, best !== null || isNearOther)) break;
    if (word.saying === 'not') {
      // A label belongs to the first number after it.
      if (lexeme !== undefined && lexeme.start >= word.end) continue;
      if (best !== null) break;
      // The sentence before may say what is verified: "Use the following code to verify your phone. 481516".
      if (isLast && SENTENCE_END.test(between)) continue;
      if (isLabelOf(between, isApart)) {
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
  const introduced = isApart || taken > best.end ? 'explicitly' : introducedBy(best, between);
  return { side: { word: best, introduced, isDirect: leadsDirectly(between) }, refuting: null, isNearOther };
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
  const first = firstFrom(words, shape.end);
  const next = firstFrom(lexemes, shape.end);
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
    if (between.includes('\n') && isLabelOfNext(text, word, lexeme)) break;
    if (best === null || ORDER[word.saying] > ORDER[best.saying]) best = word;
  }
  if (best === null) return { side: NONE, refuting: null, isNearOther };
  const introduced = isAlone || namedBy(text.slice(shape.end, best.start)) ? 'at once' : 'not';
  return { side: { word: best, introduced, isDirect: false }, refuting: null, isNearOther };
}

/** Tells whether a word on a line below is the label of the number behind it, and says nothing of the one above. */
function isLabelOfNext(text: string, word: CodeWord, next: Lexeme | undefined): boolean {
  if (next === undefined || next.start < word.end || next.start - word.end > FAR) return false;
  const between = text.slice(word.end, next.start);
  return !between.includes('\n') && introducedBy(word, between) === 'explicitly';
}

const ORDER = { strong: 3, medium: 2, weak: 1, not: 0 } as const;

// A number in a sentence is a code only if the sentence says so: `code: N`, `code is N`, `code N`, `enter N`, `N is
// your code`. After "sent to", "such as" or "at" it is something else.

/** The way in which a word introduces the number after it. */
export type Introduction = 'explicitly' | 'at once' | 'not';

const OPENERS = String.raw`[\s"'“”„«»*_([\]{【「『]*`;
const COPULA = wordsFor('is').join('|');
const EXPLICIT = new RegExp(
  String.raw`(?:[:：՝=→>–—]|\s-|(?:^|[\s\p{P}]|[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])(?:${COPULA}))${OPENERS}$`,
  'iu',
);
const AT_ONCE = new RegExp(
  `^${OPENERS}(?:(?:number|no\\.?|nr\\.?|nummer|numéro|número|numero|شما|الخاص بك|שלך|आपका|ของคุณ)${OPENERS})?$`,
  'iu',
);
/** Words after which an address, a phone number or a time follows, not a code. */
const LEADS_ELSEWHERE =
  /(?:^|\s)(?:to|at|by|via|from|until|till|such as|e\.g\.|for example|like|an|bei|bis|wie|z\. ?b\.|à|au|chez|jusqu'à|par exemple|al|hasta|por ejemplo|até|fino|do|на|до)(?:\s*:)?\s*$/iu;
const POLISH = /^(?:kod|hasło|jednorazow|token)/;
const POLISH_IS = new RegExp(String.raw`\sto:?${OPENERS}$`, 'u');
const ASIDE = /\([^()\n]{0,80}\)/g;

/**
 * Tells whether the text between a word for a code and a number, in the same line or not, introduces the number as the
 * code.
 */
function introducedBy(word: CodeWord, between: string): Introduction {
  const plain = between.replace(ASIDE, ' ');
  if (AT_ONCE.test(plain)) return 'at once';
  if (POLISH.test(word.words) && POLISH_IS.test(plain)) return 'explicitly';
  return EXPLICIT.test(plain) && !leadsElsewhere(word, plain) ? 'explicitly' : 'not';
}

/** Tells whether at most two words of the same sentence separate the word and the number. */
function leadsDirectly(between: string): boolean {
  return /^[^.!?。！？\p{L}]*(?:\p{L}+[^.!?。！？\p{L}]+){0,2}$/u.test(between.replace(ASIDE, ' '));
}

/** Tells whether something other than a code follows, as in `The code was sent to:`. */
function leadsElsewhere(word: CodeWord | null, between: string): boolean {
  return LEADS_ELSEWHERE.test(between) && !(word !== null && POLISH.test(word.words));
}

const AS =
  /^["'“”»)\]*_.]*\s*(?:[:(–—-]\s*|(?:is|ist|est|es|é|è|as|als|comme|como|come|jako|jest|är|er|это|—|to be)\s+)(?:[\p{L}\p{N}'’.&+-]+\s+){0,5}["'“„«(]*$/iu;
/** A short text in a script that uses no or few spaces. */
const OTHER_SCRIPT = /^[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}0-9\n]{0,16}$/u;

/** Tells whether the text after a number makes it the code, as in `481516 is your code`. */
export function namedBy(between: string): boolean {
  return /^\s*$/.test(between) || OTHER_SCRIPT.test(between) || AS.test(between);
}

/** The signs between a verb and a number. */
const OPENERS_ALONE = /^\s*["'“„«*_([]*$/;

/** The signs and the words between a label and its number. */
const LABEL_SIGNS = /[\s"'#№.:：=(［[„“«*_-]+/g;
const LABEL_ENDS = new Set([...wordsFor('numberLabel'), ...wordsFor('is'), 'has', 'to']);
const LABEL_WORDS = 2;

/** Tells whether a word is the label of the number after it: `Order 4711`, `Order no.: 4711`, `Order for March: 4711`. */
function isLabelOf(between: string, isAlone: boolean): boolean {
  const said = between.replace(LABEL_SIGNS, ' ').trim().toLowerCase();
  if (said === '' || LABEL_ENDS.has(said)) return true;
  const plain = between.replace(ASIDE, ' ');
  const words = plain.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  return words <= (isAlone ? 1 : LABEL_WORDS) && EXPLICIT.test(plain) && !SENTENCE.test(plain);
}

const SENTENCE = /[.!?。！？](?:\s|$)/;

/** Tells whether a number ends its sentence or its line. */
export function endsSentence(text: string, end: number): boolean {
  return /^["'”»)\]*_]{0,4}(?:[.!。！]["'”»)*]{0,4})?[ \t]{0,8}(?:\n|$)|^["'”»)\]*_]{0,4}[.!。！]\s/.test(
    text.slice(end, end + 16),
  );
}

/** Returns the verb right before a number that asks to enter it, or null. */
function enteringVerb({ text, words }: SearchedText, { start }: Shape): string | null {
  const word = words[firstEndingAfter(words, start) - 1];
  if (word === undefined || !word.meanings.includes('enter')) return null;
  return OPENERS_ALONE.test(text.slice(word.end, start)) ? word.words : null;
}

/** English says so in many ways; other languages have their verbs as data. */
const RETIRED = new RegExp(
  String.raw`^[^\n]{0,80}?(?<!\b(?:it|they) )\b(?:(?:has|have|had) (?:now |already |just )?(?:expired|been (?:replaced|revoked|used))|(?:is|are) (?:now |already )?(?:expired|invalid|no longer valid)|no longer (?:works|valid)|${wordsFor('retired').join('|')})`,
  'iu',
);

/** Tells whether the sentence after a number says that the code is no longer valid. */
export function isRetired(text: string, end: number): boolean {
  const after = text.slice(end, end + 120);
  const stop = after.search(/[.!?](?:\s|$)/);
  return RETIRED.test(stop < 0 ? after : after.slice(0, stop));
}

/** The text between the numbers of a list: commas, "or", or the count of the next item. */
const LISTED = /^(?:[\s,;/|•*·–-]|or|and|und|oder|ou|et|o|y|e|[0-9]{1,2}[.):])*$/i;

function isListed(between: string): boolean {
  return between.length < 24 && /[^ \u00A0]/.test(between) && LISTED.test(between);
}

/** Tells whether a word introduces another number before the shape. The word then belongs to that number. */
export function isTaken(text: string, lexemes: readonly Lexeme[], word: CodeWord, shape: Shape): boolean {
  const first = lexemes[firstFrom(lexemes, word.end)];
  if (first === undefined || first.start >= shape.start || first.text.length < 4) return false;
  const between = text.slice(word.end, first.start);
  return introducedBy(word, between) !== 'not' && !isListed(text.slice(first.end, shape.start));
}

/** Letters without digits are a code only if a colon or "is" introduces them and their sentence ends after them. */
const LETTERS_AFTER =
  /[ \u00A0]*(?:[:：]\s*|[ \u00A0](?:is|ist|lautet|est|es|é|è|jest|är|er):?\s+)["'“„«*]*([A-Z]{4,10}|[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4})(?=["'”»*]*(?:[.,!]?\s*(?:\n|$)|\.\s|\t))/uy;

/** Finds codes without digits. */
export function introducedLetters(text: string, words: readonly CodeWord[]): Shape[] {
  const shapes: Shape[] = [];
  for (const { saying, end } of words) {
    if (saying !== 'strong' && saying !== 'medium') continue;
    // In a text in capitals, any word could follow.
    const last = text.slice(end - 4, end);
    if (last === last.toUpperCase() && last !== last.toLowerCase()) continue;
    LETTERS_AFTER.lastIndex = end;
    const match = LETTERS_AFTER.exec(text);
    const written = match?.[1];
    if (match === null || written === undefined) continue;
    const start = end + match[0].lastIndexOf(written);
    const shape = { code: written, written, start, end: start + written.length, kind: 'loose' } as const;
    const isWord = readsLikeWord(written) && !(saying === 'strong' && isUnspeakable(written));
    shapes.push(isWord ? { ...shape, refused: A_WORD } : shape);
  }
  return shapes;
}

/** Tells whether letters begin as no word does, or have more consonants in a row than a syllable. */
function isUnspeakable(written: string): boolean {
  return /Q(?!U)|[BCDFGJKPTVWXZ]{4}|^[BCDFGJKLMNPQTVWXZ]{3}/.test(written);
}

function readsLikeWord(written: string): boolean {
  const vowels = written.replace(/[^AEIOUY]/g, '').length;
  return !written.includes('-') && vowels > 0 && vowels * 6 > written.length;
}
