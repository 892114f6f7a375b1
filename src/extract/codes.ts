import { MAX_CHARACTERS } from './bounds.ts';
import { cleanText } from './clean-text.ts';
import { type Found, isIntroduced, isNamed, mailFacts } from './code-clues.ts';
import { evidenceFor, type SearchedText } from './code-evidence.ts';
import { introducedLetters } from './code-introduced.ts';
import { shapePosition } from './code-position.ts';
import { type Candidate, NO_WORD, type Scored, score } from './code-score.ts';
import { A_WORD, type Lexeme, lexemesOf, PIECE, type Shape, shapesOf } from './code-shapes.ts';
import { codeWordsIn } from './code-words.ts';
import { type Emphasis, visibleText } from './visible-text.ts';
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

export interface CodeText {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

type Part = 'subject' | 'html' | 'text' | 'alt';

interface CodeSource extends SearchedText {
  readonly emphasis: readonly Emphasis[];
  readonly part: Part;
  readonly found: readonly Word[];
}

const MAX_FOUND = 20;
const MAX_SHAPES = 1_000;
/** The refused ones among them, of which only a few are told. */
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
export function findCodes(mail: CodeText): readonly FoundCode[] {
  return readCodes(mail).codes;
}

/** Like {@link findCodes}, with the rejected candidates. */
export function readCodes(mail: CodeText): ReadCodes {
  return judged(scoredPlaces(mail));
}

/**
 * Scores the candidates of a mail, each at every place that it has. `find` finds the known words; without any, the
 * structure alone decides.
 */
export function scoredPlaces({ subject, text, html }: CodeText, find: (text: string) => Word[] = wordsIn): Scored[][] {
  const seen = html === null ? null : visibleText(html);
  const texts: readonly (readonly [Part, string, readonly Emphasis[]])[] = [
    ['subject', clean(subject ?? '').replace(/\s+/g, ' '), []],
    ...(seen === null ? [] : [['html', seen.text, seen.emphasis] as const]),
    ...(text === null ? [] : [['text', clean(text), []] as const]),
    ...(seen === null || seen.alts.length === 0 ? [] : [['alt', seen.alts.join('\n\n'), []] as const]),
  ];
  const sources = texts.map(([part, one, emphasis]): CodeSource => {
    const lexemes = lexemesOf(one);
    const found = wordsNear(one, lexemes, find);
    return { part, text: one, emphasis, lexemes, found, words: codeWordsIn(one, found) };
  });
  const places = sources.flatMap((source) => candidatesIn(source).map((one) => ({ ...one, part: source.part })));
  const byCode = new Map<string, (Candidate & { readonly part: Part })[]>();
  for (const place of places) {
    const known = byCode.get(place.shape.code);
    if (known === undefined) byCode.set(place.shape.code, [place]);
    else known.push(place);
  }
  const words = (isSubject: boolean) =>
    sources.flatMap(({ part, found }) => ((part === 'subject') === isSubject ? found : []));
  const alike = [...byCode.values()].filter((all) => all.some(isPlausible)).length;
  const bodies = sources.flatMap((source) => (source.part === 'subject' ? [] : [source.text]));
  const facts = mailFacts(words(true), words(false), bodies, alike, text !== null && html !== null);
  return [...byCode.values()].map((all) => {
    const isIn = (part: Part) => all.some((one) => one.part === part);
    const found: Found = { inSubject: isIn('subject'), inHtml: isIn('html'), inText: isIn('text'), inAlt: isIn('alt') };
    return all.map((one) => score(one, found, facts));
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
    for (const word of find(text.slice(from, to))) {
      found.push({ ...word, start: word.start + from, end: word.end + from });
    }
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

function isLikelier(one: Scored, other: Scored): boolean {
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

function shapesToRead({ text, lexemes, words }: SearchedText): Shape[] {
  const shapes = shapesOf(text, lexemes);
  const likely = shapes.filter(({ refused }) => refused === undefined).slice(0, MAX_SHAPES);
  const unlikely = shapes.filter(({ refused }) => refused !== undefined).slice(0, MAX_REFUSED);
  return [...likely, ...unlikely, ...introducedLetters(text, words)].sort((a, b) => a.start - b.start);
}

/** Chooses the likeliest place of each candidate, and ranks the candidates. */
export function judged(places: readonly (readonly Scored[])[]): ReadCodes {
  const best = places.map((all) => all.reduce((best, one) => (isLikelier(one, best) ? one : best)));
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

/** Tells whether a reader could take it for a code. Pieces of addresses would only hide the others. */
function isCandidate({ refused, isCalledCode, shape }: Scored): boolean {
  return isCalledCode || !(refused === PIECE || shape.written.includes('//'));
}

function withRefusal(scored: Scored, enough: number): Scored {
  if (scored.refused !== undefined || scored.points >= enough) return scored;
  const isUnnamed = scored.clues.some((clue) => clue.startsWith('unnamed'));
  return { ...scored, refused: isUnnamed ? NO_WORD : 'too little evidence' };
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
  return sorted.map(({ shape, points, reasons, clues }, index) => ({
    code: shape.code,
    written: shape.written,
    reason: reasons.join(', '),
    confidence: clues.includes('in an alt') || points < MEDIUM ? 'low' : points < HIGH ? 'medium' : 'high',
    rank: ranks[index] ?? 1,
    ambiguous: isAmbiguous && ranks[index] === 1,
  }));
}
