import { grouped } from '../text/maps.ts';
import { MAX_CHARACTERS, type MailContent } from './bounds.ts';
import { cluesOf, isIntroduced, isNamed, type MailFacts, type MailPart, mailFacts } from './code-clues.ts';
import {
  type Evidence,
  evidenceFor,
  FAR,
  introducedLetters,
  isLabelledAt,
  isRetired,
  type SearchedText,
} from './code-evidence.ts';
import {
  A_WORD,
  isCodeLike,
  type Lexeme,
  lexemesOf,
  MISREADINGS,
  NUMBERED,
  PIECE,
  type Shape,
  type ShapePosition,
  SIGN,
  shapePosition,
  shapesOf,
  standsOut,
} from './code-shapes.ts';
import { BIAS, type Clue, WEIGHTS } from './code-weights.ts';
import { codeWordsIn, saysOnce } from './code-words.ts';
import { cleanText, type Emphasis, visibleText } from './visible-text.ts';
import { type Word, wordsIn } from './words/find-words.ts';

/** A one-time code in a mail, with the reason for choosing it. */
export interface FoundCode {
  /** The code to enter: digits without separators, a code with letters as the mail writes it. */
  readonly code: string;
  /** The code as the mail writes it. */
  readonly written: string;
  /** The reason why it counts as a code. */
  readonly reason: string;
  /** The confidence that it is a code. */
  readonly confidence: 'high' | 'medium' | 'low';
  /** The rank. 1 is the most likely; codes that are equally likely share a rank. */
  readonly rank: number;
  /** Tells whether it shares the first rank with another code. */
  readonly ambiguous: boolean;
}

/** A candidate that was rejected. */
export interface RefusedCode {
  /** The candidate as the mail writes it. */
  readonly written: string;
  readonly reason: string;
  /**
   * Tells whether the mail calls it a code although it does not look like one. It is the code if the user's codes look
   * like this.
   */
  readonly isCalledCode: boolean;
}

export interface ReadCodes {
  /** The codes, the most likely first. */
  readonly codes: readonly FoundCode[];
  /** The rejected candidates, those with the most points first. */
  readonly refused: readonly RefusedCode[];
}

interface CodeSource extends SearchedText {
  readonly emphasis: readonly Emphasis[];
  readonly part: MailPart;
  readonly found: readonly Word[];
}

const MAX_FOUND = 20;
const MAX_SHAPES = 1_000;
/** The numbers from which a text is full of them. A long receipt has a hundred. */
const MANY_NUMBERS = 500;
/** Numbers without a word near them that are read in such a text. */
const MOST_STANDING = 250;
/** The refused candidates, of which only a few are listed. */
const MAX_REFUSED = 250;
/** The places of one candidate that are read. */
const MAX_PLACES = 16;
/** The characters whose words are read in any case. */
const BEGINNING = 8_192;
/** The characters around a number whose words are read. They are more than any word reaches. */
const AROUND = 256;
/** The points from which a candidate is a code. */
const ENOUGH = 0;
/** The points from which a candidate makes another that is hardly likelier ambiguous. */
const LEAST = -1;
/** The difference in points below which two codes are equally likely. */
const APART = 1.5;
const MEDIUM = 1.5;
const HIGH = 3.5;

/**
 * Finds the one-time codes that a reader of the mail would see, the most likely first. It reads the first 512 Ki
 * characters of each body in linear time and never throws.
 */
export function findCodes(mail: MailContent): readonly FoundCode[] {
  return readCodes(mail).codes;
}

/** Like {@link findCodes}, with the rejected candidates. */
export function readCodes(mail: MailContent): ReadCodes {
  return judged(scoredPlaces(mail));
}

/**
 * Scores the candidates of a mail, each at every place that it has. `find` finds the known words; without any, the
 * structure alone decides.
 */
export function scoredPlaces(
  { subject, text, html }: MailContent,
  find: (text: string) => Word[] = wordsIn,
): ScoredShape[][] {
  const seen = html === null ? null : visibleText(html);
  const texts: readonly (readonly [MailPart, string, readonly Emphasis[]])[] = [
    ['subject', clean(subject ?? '').replace(/\s+/g, ' '), []],
    ...(seen === null ? [] : [['html', seen.text, seen.emphasis] as const]),
    ...(text === null ? [] : [['text', withoutMargins(clean(text)), []] as const]),
    ...(seen === null || seen.alts.length === 0 ? [] : [['alt', seen.alts.join('\n\n'), []] as const]),
  ];
  const sources = texts.map(([part, one, emphasis]): CodeSource => {
    const lexemes = lexemesOf(one);
    const found = wordsNear(one, lexemes, find);
    return { part, text: one, emphasis, lexemes, found, words: codeWordsIn(one, found) };
  });
  const places = withoutDoubled(
    sources.flatMap((source) => candidatesIn(source).map((one) => ({ ...one, part: source.part }))),
  );
  const byCode = grouped(places, ({ shape }) => shape.code);
  const words = (isSubject: boolean) =>
    sources.flatMap(({ part, found }) => ((part === 'subject') === isSubject ? found : []));
  const alike = [...byCode.values()].filter((all) => all.some(isPlausible)).length;
  const bodies = sources.flatMap((source) => (source.part === 'subject' ? [] : [source.text]));
  const facts = mailFacts(words(true), words(false), bodies, alike, text !== null && html !== null);
  return [...byCode.values()].map((all) => {
    const parts = new Set(all.map(({ part }) => part));
    return all.map((one) => score(one, parts, facts));
  });
}

/**
 * Finds the words at the beginning of a text and around its numbers. What a mail is about stands at its beginning, and
 * words far from every number say nothing about one.
 */
function wordsNear(text: string, lexemes: readonly Lexeme[], find: (text: string) => Word[]): Word[] {
  const found: Word[] = [];
  let from = 0;
  let to = Math.min(text.length, BEGINNING);
  const read = () => {
    for (const word of find(text.slice(from, to)))
      found.push(from === 0 ? word : { ...word, start: word.start + from, end: word.end + from });
  };
  for (const { text: number, start, end } of lexemes) {
    if (number.length < 4 && number.length > 1) continue;
    if (start - AROUND <= to) to = Math.max(to, Math.min(text.length, end + AROUND));
    else {
      read();
      // Behind a space no word is cut.
      const space = text.indexOf(' ', start - AROUND);
      from = space < 0 || space > start - AROUND / 2 ? start - AROUND : space + 1;
      to = Math.min(text.length, end + AROUND);
    }
  }
  read();
  return found;
}

/**
 * Leaves out what the text writes twice in a row and the HTML once: the text that react-email makes of its CodeInline has
 * the twin that the HTML hides.
 */
function withoutDoubled<Place extends Candidate & { readonly part: MailPart }>(places: readonly Place[]): Place[] {
  const inHtml = new Set(places.flatMap(({ part, shape }) => (part === 'html' ? [shape.code] : [])));
  return places.filter(({ part, shape: { code } }) => {
    const half = code.slice(0, code.length / 2);
    return !(part === 'text' && code === half + half && inHtml.has(half));
  });
}

/**
 * Tells whether a candidate competes with others: nothing known speaks against it, and it is not just a number within a
 * sentence, such as the postal code of an imprint.
 */
function isPlausible({ shape, evidence, place }: Candidate): boolean {
  if (shape.refused !== undefined || shape.kind === 'loose' || evidence.refuting !== null) return false;
  const isAsked = evidence.verb !== null || evidence.verbNearby !== null || evidence.isLabelled;
  return place.isAlone || isAsked || isNamed(evidence) || evidence.before.word !== null || evidence.after.word !== null;
}

function clean(text: string): string {
  return cleanText(text.slice(0, MAX_CHARACTERS)).replace(/\r\n?/g, '\n');
}

/** A template may indent its lines, and what made the text of HTML may leave the indentation of the tags. */
function withoutMargins(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

function isLikelier(one: ScoredShape, other: ScoredShape): boolean {
  const isRefused = one.refused !== undefined;
  return isRefused === (other.refused !== undefined) ? one.points > other.points : !isRefused;
}

function candidatesIn(source: CodeSource): Candidate[] {
  const found: Candidate[] = [];
  const counts = new Map<string, number>();
  let taken = -1;
  for (const shape of shapesToRead(source)) {
    const count = (counts.get(shape.code) ?? 0) + 1;
    if (count > MAX_PLACES) continue;
    counts.set(shape.code, count);
    const place = shapePosition(source.text, source.emphasis, shape);
    const evidence = evidenceFor(source, shape, place.isAlone, taken);
    found.push({ shape, text: source.text, evidence, place });
    const isSaid = isNamed(evidence) && isIntroduced(evidence);
    if (shape.refused === undefined && shape.kind !== 'loose' && isSaid) taken = shape.end;
  }
  return found;
}

function shapesToRead(source: CodeSource): Shape[] {
  const { text, lexemes, words } = source;
  const isFull = lexemes.length > MANY_NUMBERS;
  const shapes = isFull ? shapesOf(text, lexemes, outstanding(source)) : shapesOf(text, lexemes);
  const likely = shapes.filter(({ refused }) => refused === undefined).slice(0, MAX_SHAPES);
  const unlikely = shapes.filter(({ refused }) => refused !== undefined).slice(0, MAX_REFUSED);
  return [...likely, ...unlikely, ...introducedLetters(text, words)].sort((a, b) => a.start - b.start);
}

/**
 * Tells which numbers of a text full of numbers, asked in order, may be a code: those with a word for codes in reach, and
 * some that stand out by their place. All others are what the text is full of.
 */
function outstanding({ text, emphasis, words }: CodeSource): (lexeme: Lexeme) => boolean {
  const telling = words.filter(({ saying }) => saying !== 'not');
  let standing = 0;
  let next = 0;
  return (lexeme) => {
    const { start, end } = lexeme;
    for (let word = telling[next]; word !== undefined && word.end <= start; word = telling[++next]);
    const [before, after] = [telling[next - 1], telling[next]];
    if (before !== undefined && start - before.end <= FAR) return true;
    if (after !== undefined && after.start - end <= FAR) return true;
    const isPlaced = standing < MOST_STANDING && (standsOut(text, emphasis, lexeme) || isLabelledAt(text, lexeme));
    if (isPlaced) standing++;
    return isPlaced;
  };
}

/** Chooses the likeliest place of each candidate, and ranks the candidates. */
export function judged(places: readonly (readonly ScoredShape[])[]): ReadCodes {
  const best = places.map(likeliestOf);
  const likeliest = Math.max(...best.flatMap(({ refused, points }) => (refused === undefined ? [points] : [])));
  // Nobody can tell a code from another candidate that is almost as likely.
  const enough = likeliest < ENOUGH ? ENOUGH : Math.min(ENOUGH, Math.max(LEAST, likeliest - APART));
  const sorted = best.map((one) => withRefusal(one, enough)).sort((a, b) => b.points - a.points);
  const refused = sorted.filter((scored) => scored.refused !== undefined);
  const taken = sorted.filter((scored) => scored.refused === undefined);
  // If the mail calls an unreadable text its code, any other number is only a guess.
  const called = refused.find(({ isCalledCode }) => isCalledCode);
  const isGuess =
    called !== undefined && called.points > (taken[0]?.points ?? 0) - (called.refused === A_WORD ? 0 : APART);
  const guesses = isGuess
    ? taken.map((scored) => ({ ...scored, refused: `${called.shape.written} is likelier, and ${called.refused}` }))
    : [];
  return {
    codes: isGuess ? [] : ranked(taken),
    refused: [...refused.filter(isCandidate), ...guesses].slice(0, MAX_FOUND).map((scored) => ({
      written: scored.shape.written,
      reason: [...scored.reasons, scored.refused].join(', '),
      isCalledCode: scored.isCalledCode,
    })),
  };
}

/** Chooses the likeliest place of a candidate. One that the mail calls another kind of number elsewhere needs a name. */
function likeliestOf(all: readonly ScoredShape[]): ScoredShape {
  const best = all.reduce((best, one) => (isLikelier(one, best) ? one : best));
  if (best.refused !== undefined || !isUnnamed(best)) return best;
  const isOther = ({ refused, shape }: ScoredShape) =>
    refused === OTHER || refused === NUMBERED || (refused === SIGN && shape.written === `#${shape.code}`);
  return all.some(isOther) ? { ...best, refused: OTHER } : best;
}

function isUnnamed({ clues }: ScoredShape): boolean {
  return clues.some((clue) => clue.startsWith('unnamed'));
}

/** Tells whether a reader could take it for a code. Pieces of addresses would only hide the others. */
function isCandidate({ refused, isCalledCode, shape }: ScoredShape): boolean {
  return isCalledCode || !(refused === PIECE || shape.written.includes('//'));
}

function withRefusal(scored: ScoredShape, enough: number): ScoredShape {
  if (scored.refused !== undefined || scored.points >= enough) return scored;
  return { ...scored, refused: isUnnamed(scored) ? NO_WORD : 'too little evidence' };
}

function ranked(all: readonly ScoredShape[]): FoundCode[] {
  const sorted = all.slice(0, MAX_FOUND);
  const ranks: number[] = [];
  let head = Number.POSITIVE_INFINITY;
  let rank = 0;
  for (const [index, { points }] of sorted.entries()) {
    if (head - points >= APART) {
      rank = index + 1;
      head = points;
    }
    ranks.push(rank);
  }
  const isAmbiguous = ranks.filter((each) => each === 1).length > 1;
  return sorted.map(({ shape, points, reasons, clues }, index) => ({
    code: shape.code,
    written: shape.written,
    reason: reasons.join(', '),
    confidence: clues.includes('in an alt') || points < MEDIUM ? 'low' : points < HIGH ? 'medium' : 'high',
    rank: ranks[index] ?? 1,
    ambiguous: isAmbiguous && ranks[index] === 1,
  }));
}

/** A candidate at one place of a mail. */
export interface Candidate {
  readonly shape: Shape;
  readonly text: string;
  readonly evidence: Evidence;
  readonly place: ShapePosition;
}

/** A candidate with its points and the reasons for and against it. */
export interface ScoredShape {
  readonly shape: Shape;
  /** The logarithm of the odds that it is the code. */
  readonly points: number;
  readonly clues: readonly Clue[];
  readonly reasons: readonly string[];
  /** The reason why it is no code. */
  readonly refused?: string;
  /** Tells whether a word for a code introduces it directly, although it does not look like a code. */
  readonly isCalledCode: boolean;
}

const FOR_CODES = ['code', 'oneTime', 'password', 'signIn', 'verify'] as const;
const NO_WORD = 'no word for a code near it';
const OTHER = 'another kind of number';
const FACT = 'one of several facts, none of which the mail calls a code';
const ONCE = 'its label says that something is paid or used once, and names no code';
const CODE_OF_TRADE = 'its label calls it another kind of code, in a mail about orders or accounts';
const OFFER = 'of an offer';
const ODDITIES = { day: 'a date', sequence: 'a sequence of numbers' } as const;
const BOOKING = 'of a booking';
const MISREAD = new Set<string>([...MISREADINGS, BOOKING]);

export function score(candidate: Candidate, parts: ReadonlySet<MailPart>, mail: MailFacts): ScoredShape {
  const { shape, evidence, place } = candidate;
  const clues = cluesOf(shape, evidence, place, parts, mail);
  const points = clues.reduce((sum, clue) => sum + WEIGHTS[clue], BIAS);
  const refusal = refusalOf(candidate, mail);
  const reasons = reasonsOf(evidence, place, parts, refusal);
  if (refusal === null) return { shape, points, clues, reasons, isCalledCode: false };
  const { before } = evidence;
  const isCalled = before.introduced === 'explicitly' && before.isDirect && isNamed(evidence) && isCodeLike(shape);
  return { shape, points, clues, reasons, refused: refusal, isCalledCode: isCalled && MISREAD.has(refusal) };
}

function reasonsOf(
  evidence: Evidence,
  place: ShapePosition,
  parts: ReadonlySet<MailPart>,
  refusal: string | null,
): string[] {
  const { before, after, verb, verbNearby, refuting } = evidence;
  const reasons: string[] = [];
  if (refuting !== null) reasons.push(`beside "${refuting.words}"`);
  else if (before.word !== null) reasons.push(`after "${before.word.words}"`);
  else if (after.word !== null) reasons.push(`before "${after.word.words}"`);
  else if (verb !== null) reasons.push(`after "${verb}"`);
  else if (verbNearby !== null) reasons.push(`beside "${verbNearby}"`);
  else if (refusal === null) reasons.push('no other kind of number');
  if (place.isAlone) reasons.push('alone on its line');
  if (place.look !== null) reasons.push(place.look);
  if (parts.has('subject') && (parts.has('text') || parts.has('html'))) reasons.push('in the subject');
  if (parts.has('alt') && parts.size === 1) reasons.push('in the text for a picture');
  return reasons;
}

/** The number of words of trade with which a mail that confirms something confirms an order. */
const MANY = 3;

/** Tells whether the mail speaks of orders, accounts or the like, and of nothing that codes are for. */
function isOfTrade({ all, others }: MailFacts): boolean {
  const isForCodes = FOR_CODES.some((meaning) => all.has(meaning) && !(meaning === 'verify' && others >= MANY));
  return others > 0 && !isForCodes;
}

/** Tells whether the mail asks to enter a number within a sentence, or speaks of codes elsewhere. */
function isAsked(evidence: Evidence, { all, known }: MailFacts): boolean {
  const isOfCodes = all.has('code') || all.has('oneTime') || evidence.verbNearby !== null;
  const isUnknown = evidence.isLabelled && known <= 1;
  return evidence.verb !== null || isOfCodes || isUnknown || isIntroduced(evidence);
}

/** Tells whether the word that names a candidate is in its row. */
function isOnLine({ shape, text, evidence: { before, after } }: Candidate): boolean {
  if (after.word !== null && !text.slice(shape.end, after.word.start).includes('\n')) return true;
  return before.word !== null && !text.slice(before.word.end, shape.start).includes('\n');
}

const FOR_SIGNING_IN = FOR_CODES.filter((meaning) => meaning !== 'code');

/**
 * Tells whether the label of a number has further words than "code", in a mail of orders or accounts that speaks of
 * nothing that codes are for: "VAT code: 928983691", or "Code postal: 37907" in a list of facts.
 */
function isCodeOfTrade({ shape, text, place, evidence: { before } }: Candidate, { all, others }: MailFacts): boolean {
  const { word } = before;
  if (!place.isFact && shape.code.length < LONG) return false;
  if (word?.saying !== 'medium' || others === 0 || FOR_SIGNING_IN.some((meaning) => all.has(meaning))) return false;
  const line = text.lastIndexOf('\n', shape.start - 1) + 1;
  if (word.start < line || shape.start - line > MOST_LABEL) return false;
  const isCodeOf = A_LETTER.test(text.slice(word.end, shape.start));
  return isCodeOf || (shape.code.length >= LONG && A_LETTER.test(text.slice(line, word.start)));
}

/**
 * Tells whether the label of a number says that something is used or paid once, and not that this is a code: "One-time
 * payment: 4815".
 */
function isPaidOnce({ shape, text, place, evidence }: Candidate): boolean {
  if (isNamed(evidence) || evidence.verb !== null || evidence.verbNearby !== null) return false;
  const before = text.slice(Math.max(0, shape.start - MOST_LABEL), shape.start);
  const lines = (place.isAlone ? before.trimEnd() : before).split('\n');
  return saysOnce(lines.at(-1) ?? '');
}

/** The digits of few codes and of many other numbers. */
const LONG = 9;
/** The characters of a line before a number that may be its label. */
const MOST_LABEL = 80;
const A_LETTER = /\p{L}/u;

/** Returns the reason why a candidate is no code, whatever its points, or null if it may be one. */
function refusalOf(candidate: Candidate, mail: MailFacts): string | null {
  const { shape, text, evidence, place } = candidate;
  const { before, after, refuting } = evidence;
  if (refuting !== null) return OTHER;
  if (shape.refused !== undefined) return shape.refused;
  if (shape.oddity !== undefined && !(isNamed(evidence) && isIntroduced(evidence))) return ODDITIES[shape.oddity];
  if ((place.isFact || place.isData) && !isNamed(evidence)) return FACT;
  if (place.isFact && !isOnLine(candidate)) return FACT;
  if (isCodeOfTrade(candidate, mail)) return CODE_OF_TRADE;
  // The head of a column, such as "Code" over the codes of products.
  if (place.isData && before.word?.saying !== 'strong' && !isOnLine(candidate)) return FACT;
  if (evidence.isElsewhere) return isNamed(evidence) ? 'the mail does not say that it is the code' : NO_WORD;
  if (!place.isAlone && !isNamed(evidence) && !isAsked(evidence, mail)) return NO_WORD;
  if (!isNamed(evidence) && evidence.verb === null && evidence.verbNearby === null && isOfTrade(mail)) return NO_WORD;
  if (isPaidOnce(candidate)) return ONCE;
  if (isRetired(text, shape.end)) return 'the mail says that it is no longer valid';
  const words = [before.word?.words, after.word?.words];
  if (mail.isTravel && words.includes('confirmation code')) return BOOKING;
  const isStrong = before.word?.saying === 'strong' || after.word?.saying === 'strong';
  if (shape.kind === 'letters' || shape.kind === 'loose') {
    if (!isStrong && (mail.all.has('offer') || mail.hasPercent)) return OFFER;
    if (!isNamed(evidence) && !place.isAlone) return 'a name, without a word for a code near it';
  }
  if (shape.kind === 'loose' && !(isNamed(evidence) && before.introduced === 'explicitly' && before.isDirect)) {
    return 'a name or a word';
  }
  if (shape.kind === 'loose' && before.word?.saying === 'weak') return 'a password';
  return null;
}
