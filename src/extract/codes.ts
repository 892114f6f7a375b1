import { MAX_CHARACTERS } from './bounds.ts';
import { cleanText } from './clean-text.ts';
import { evidenceFor, type SearchedText } from './code-evidence.ts';
import { introducedLetters } from './code-introduced.ts';
import { aboutMail, type MailEvidence, type Scored, score, shapePosition } from './code-score.ts';
import { A_WORD, lexemesOf, type Shape, shapesOf } from './code-shapes.ts';
import { sayingWords } from './code-words.ts';
import { type Emphasis, visibleText } from './visible-text.ts';

/** A one-time code in a mail, with the reason for choosing it. */
export interface FoundCode {
  /** The code to enter, without inner spaces and hyphens. */
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

export interface CodeText {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

interface CodeSource extends SearchedText {
  readonly emphasis: readonly Emphasis[];
  readonly inSubject: boolean;
}

const MAX_FOUND = 20;
const MAX_SHAPES = 1_000;
const ENOUGH = 45;
/** The difference in points below which two codes are equally likely. */
const APART = 15;
const IN_SUBJECT = 4;

/**
 * Finds the one-time codes that a reader of the mail would see, the most likely first. It reads the first 512 Ki
 * characters of each body in linear time and never throws.
 */
export function findCodes(mail: CodeText): readonly FoundCode[] {
  return readCodes(mail).codes;
}

/** Like {@link findCodes}, with the rejected candidates. */
export function readCodes({ subject, text, html }: CodeText): ReadCodes {
  const seen = html === null ? null : visibleText(html);
  const sources: CodeSource[] = [
    { text: clean(subject ?? '').replace(/\s+/g, ' '), emphasis: [], inSubject: true },
    ...(seen === null ? [] : [{ text: seen.text, emphasis: seen.emphasis, inSubject: false }]),
    ...(text === null ? [] : [{ text: clean(text), emphasis: [], inSubject: false }]),
  ].map((source) => ({ ...source, lexemes: lexemesOf(source.text), words: sayingWords(source.text) }));
  const mail = aboutMail(
    sources.flatMap(({ words, inSubject }) => (inSubject ? words : [])),
    sources.flatMap(({ words }) => words),
  );
  const best = new Map<string, Scored>();
  const inSubject = new Set<string>();
  const inBody = new Set<string>();
  for (const source of sources) {
    for (const scored of scoresIn(source, mail)) {
      const { code } = scored.shape;
      if (scored.refused === undefined) (source.inSubject ? inSubject : inBody).add(code);
      const known = best.get(code);
      if (known === undefined || isLikelier(scored, known)) best.set(code, scored);
    }
  }
  return told(
    [...best].map(([code, scored]) => (inSubject.has(code) && inBody.has(code) ? withSubject(scored) : scored)),
  );
}

function clean(text: string): string {
  return cleanText(text.slice(0, MAX_CHARACTERS)).replace(/\r\n?/g, '\n');
}

function isLikelier(one: Scored, other: Scored): boolean {
  const isRefused = one.refused !== undefined;
  return isRefused === (other.refused !== undefined) ? one.points > other.points : !isRefused;
}

function scoresIn(source: CodeSource, mail: MailEvidence): Scored[] {
  const found: Scored[] = [];
  let taken = -1;
  for (const shape of shapesToRead(source)) {
    const place = shapePosition(source, source.emphasis, shape);
    const scored = score(source.text, shape, evidenceFor(source, shape, place.isAlone, taken), place, mail);
    found.push(
      scored.refused === undefined && scored.points < ENOUGH ? { ...scored, refused: 'too little evidence' } : scored,
    );
    if (found.at(-1)?.refused === undefined && shape.kind !== 'loose') taken = shape.end;
  }
  return found;
}

function shapesToRead({ text, lexemes, words }: SearchedText): Shape[] {
  const shapes = shapesOf(text, lexemes);
  const likely = shapes.filter(({ refused }) => refused === undefined).slice(0, MAX_SHAPES);
  const unlikely = shapes.filter(({ refused }) => refused !== undefined).slice(0, MAX_SHAPES);
  return [...likely, ...unlikely, ...introducedLetters(text, words)].sort((a, b) => a.start - b.start);
}

function withSubject(scored: Scored): Scored {
  return { ...scored, points: scored.points + IN_SUBJECT, reasons: [...scored.reasons, 'in the subject'] };
}

function told(all: readonly Scored[]): ReadCodes {
  const sorted = [...all].sort((a, b) => b.points - a.points);
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
    refused: [...refused, ...guesses].slice(0, MAX_FOUND).map((scored) => ({
      written: scored.shape.written,
      reason: [...scored.reasons, scored.refused].join(', '),
      isCalledCode: scored.isCalledCode,
    })),
  };
}

function ranked(all: readonly Scored[]): FoundCode[] {
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
  return sorted.map(({ shape, points, reasons }, index) => ({
    code: shape.code,
    written: shape.written,
    reason: reasons.join(', '),
    confidence: points >= 75 ? 'high' : points >= 55 ? 'medium' : 'low',
    rank: ranks[index] ?? 1,
    ambiguous: isAmbiguous && ranks[index] === 1,
  }));
}
