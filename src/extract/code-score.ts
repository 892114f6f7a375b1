import { type Clue, cluesOf, type Found, isIntroduced, isNamed, type MailFacts } from './code-clues.ts';
import type { Evidence } from './code-evidence.ts';
import { isRetired } from './code-introduced.ts';
import type { ShapePosition } from './code-position.ts';
import { isCodeLike, MISREADINGS, type Shape } from './code-shapes.ts';
import { WEIGHTS } from './code-weights.ts';

/** A candidate at one place of a mail. */
export interface Candidate {
  readonly shape: Shape;
  readonly text: string;
  readonly evidence: Evidence;
  readonly place: ShapePosition;
}

/** A candidate with its points and the reasons for and against it. */
export interface Scored {
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
export const NO_WORD = 'no word for a code near it';
const FACT = 'one of several facts, none of which the mail calls a code';
const OFFER = 'of an offer';
const ODDITIES = { day: 'a date', sequence: 'a sequence of numbers' } as const;
const BOOKING = 'of a booking';
const MISREAD = new Set<string>([...MISREADINGS, BOOKING]);

export function score(candidate: Candidate, found: Found, mail: MailFacts): Scored {
  const { shape, evidence, place } = candidate;
  const clues = cluesOf(shape, evidence, place, found, mail);
  const points = clues.reduce((sum, clue) => sum + (WEIGHTS[clue] ?? 0), WEIGHTS.bias ?? 0);
  const refusal = refusalOf(candidate, mail);
  const reasons = reasonsOf(evidence, place, found, refusal);
  if (refusal === null) return { shape, points, clues, reasons, isCalledCode: false };
  const { before } = evidence;
  const isCalled = before.introduced === 'explicitly' && before.isDirect && isNamed(evidence) && isCodeLike(shape);
  return { shape, points, clues, reasons, refused: refusal, isCalledCode: isCalled && MISREAD.has(refusal) };
}

function reasonsOf(evidence: Evidence, place: ShapePosition, found: Found, refusal: string | null): string[] {
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
  if (found.inSubject && (found.inText || found.inHtml)) reasons.push('in the subject');
  if (found.inAlt && !found.inText && !found.inHtml && !found.inSubject) reasons.push('in the text for a picture');
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
  return after.word !== null || (before.word !== null && !text.slice(before.word.end, shape.start).includes('\n'));
}

/** Returns the reason why a candidate is no code, whatever its points, or null if it may be one. */
function refusalOf(candidate: Candidate, mail: MailFacts): string | null {
  const { shape, text, evidence, place } = candidate;
  const { before, after, refuting } = evidence;
  if (refuting !== null) return 'another kind of number';
  if (shape.refused !== undefined) return shape.refused;
  if (shape.oddity !== undefined && !(isNamed(evidence) && isIntroduced(evidence))) return ODDITIES[shape.oddity];
  if ((place.isFact || place.isData) && !isNamed(evidence)) return FACT;
  // The head of a column, such as "Code" over the codes of products.
  if (place.isData && before.word?.saying !== 'strong' && !isOnLine(candidate)) return FACT;
  if (evidence.isElsewhere) return isNamed(evidence) ? 'the mail does not say that it is the code' : NO_WORD;
  if (!place.isAlone && !isNamed(evidence) && !isAsked(evidence, mail)) return NO_WORD;
  if (!isNamed(evidence) && evidence.verb === null && evidence.verbNearby === null && isOfTrade(mail)) return NO_WORD;
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
  return null;
}
