import type { Evidence, Side } from './code-evidence.ts';
import type { Shape, ShapePosition } from './code-shapes.ts';
import type { Clue } from './code-weights.ts';
import { type Word, wordsFor } from './words/find-words.ts';
import type { ExtraMeaning, Meaning } from './words/language.ts';

// A clue is a fact about a candidate that a person would notice. The fit (.build/fit-codes) gives each its weight.
// A candidate is `named` if its sentence or the line before has a word for a code, else it is `unnamed` and lives from
// its place and from what the mail as a whole speaks of.

/** What a mail as a whole speaks of. */
export interface MailFacts {
  readonly subject: ReadonlySet<Meaning>;
  readonly all: ReadonlySet<Meaning>;
  /** The number of different words for other kinds of numbers. */
  readonly others: number;
  /** The number of different known words. */
  readonly known: number;
  readonly hasMoney: boolean;
  readonly isTravel: boolean;
  readonly hasPercent: boolean;
  /** The number of different candidates. */
  readonly candidates: number;
  readonly hasTextAndHtml: boolean;
}

const isOfTravel = oneOf('travel');
/** Tells whether a word belongs to an address or an imprint, which many mails have below. */
const isOfContact = oneOf('contact');

/** Returns a function that tells whether words have a meaning. */
function oneOf(meaning: ExtraMeaning): (words: string) => boolean {
  const all = wordsFor(meaning);
  const whole = new Set(all);
  const stems = all.flatMap((word) => (word.endsWith('*') ? [word.slice(0, -1)] : []));
  return (words) => whole.has(words) || stems.some((stem) => words.startsWith(stem));
}

const PERCENT = /[0-9]\s?[%٪]|[%٪]\s?[0-9]/;
/** The characters that tell what a mail is about. */
const READ = 16_384;
const MONEY = /[$€£¥₹₽₺₩₪฿]|\b(?:usd|eur|gbp|inr|jpy|chf)\b/i;

/** Collects the facts about a mail from the words of its subject and of its bodies. */
export function mailFacts(
  subject: readonly Word[],
  bodies: readonly Word[],
  texts: readonly string[],
  candidates: number,
  hasTextAndHtml: boolean,
): MailFacts {
  const [ofSubject, ofBodies] = [distinct(subject), distinct(bodies)];
  const all = new Map([...ofBodies, ...ofSubject]);
  const isOther = ([words, [first]]: [string, readonly Meaning[]]) => first === 'number' && !isOfContact(words);
  return {
    subject: new Set([...ofSubject.values()].flat()),
    all: new Set([...all.values()].flat()),
    others: [...ofBodies].filter(isOther).length,
    known: all.size,
    isTravel: [...all.keys()].some((words) => isOfTravel(words)),
    hasPercent: texts.some((text) => PERCENT.test(text.slice(0, READ))),
    hasMoney: texts.some((text) => MONEY.test(text.slice(0, READ))),
    candidates,
    hasTextAndHtml,
  };
}

function distinct(words: readonly Word[]): Map<string, readonly Meaning[]> {
  return new Map(words.map(({ words, meanings }) => [words, meanings]));
}

/** A part of a mail in which candidates are found. `alt` stands for the texts of its pictures. */
export type MailPart = 'subject' | 'html' | 'text' | 'alt';

const STRENGTHS = { strong: 'strong word', medium: 'code word', weak: 'weak word' } as const;
const WAYS = { explicitly: 'explicitly', 'at once': 'at once', not: 'loosely' } as const;
const SIGNS: Readonly<Record<number, Clue>> = {
  4: 'loosely, four signs',
  9: 'nine or ten signs',
  10: 'nine or ten signs',
};
const UNNAMED_SIGNS: Readonly<Record<number, Clue>> = {
  4: 'unnamed, four signs',
  5: 'unnamed, five signs',
  6: 'unnamed, six signs',
};

/** Tells whether a word for a code is beside the candidate, or the label "Password:". */
export function isNamed({ before, after }: Evidence): boolean {
  const names = ({ word }: Side) => word !== null && (word.saying === 'strong' || word.saying === 'medium');
  const isPassword =
    before.word?.meanings.includes('password') && before.introduced === 'explicitly' && before.isDirect;
  return names(before) || names(after) || isPassword === true;
}

/** Tells whether a sentence or a label introduces the candidate. */
export function isIntroduced({ before, after }: Evidence): boolean {
  return before.introduced !== 'not' || after.introduced !== 'not';
}

/** Collects the clues about a candidate at its likeliest place. */
export function cluesOf(
  shape: Shape,
  evidence: Evidence,
  place: ShapePosition,
  parts: ReadonlySet<MailPart>,
  mail: MailFacts,
): Clue[] {
  const clues: Clue[] = [...sideClues(evidence), ...placeClues(evidence, place), ...shapeClues(shape, evidence)];
  const add = (clue: Clue, holds: boolean) => {
    if (holds) clues.push(clue);
  };
  const inBody = parts.has('text') || parts.has('html');
  add('in subject and body', parts.has('subject') && inBody);
  add('in the subject alone', parts.has('subject') && !inBody);
  add('in an alt', parts.has('alt') && parts.size === 1);
  add('in text and HTML', parts.has('text') && parts.has('html'));
  add('not in both of text and HTML', mail.hasTextAndHtml && parts.has('text') !== parts.has('html'));
  const kind = isNamed(evidence) ? 'named' : 'unnamed';
  add(`${kind}, only candidate`, mail.candidates === 1);
  // What else a mail speaks of matters little once its sentence says that this is the code.
  const isSaid = kind === 'named' && isIntroduced(evidence);
  add(`${kind}, many candidates`, mail.candidates >= 3 && !isSaid);
  add(`${kind}, of trade`, mail.others > 0 && !isSaid);
  add(`${kind}, of an offer`, mail.all.has('offer') && !isSaid);
  add(`${kind}, of money`, mail.hasMoney && !isSaid);
  if (!isNamed(evidence)) clues.push(...unnamedClues(mail));
  return clues;
}

function sideClues({ before, after, verb, verbNearby, isNearOther }: Evidence): Clue[] {
  const clues: Clue[] = [];
  if (before.word !== null && before.word.saying !== 'not') {
    clues.push(`${STRENGTHS[before.word.saying]}, ${WAYS[before.introduced]}`);
    if (before.isDirect) clues.push('close to its word');
  }
  if (after.word !== null && after.word.saying !== 'not') {
    const strength = STRENGTHS[after.word.saying];
    if (strength === 'weak word') clues.push('weak word behind');
    else clues.push(after.introduced === 'not' ? `${strength} behind` : `${strength} behind, naming it`);
  }
  if (verb !== null) clues.push('to enter');
  else if (verbNearby !== null) clues.push('to enter, nearby');
  if (isNearOther) clues.push('near another kind of number');
  return clues;
}

function placeClues(evidence: Evidence, { isAlone, isParagraph, isFirst, look }: ShapePosition): Clue[] {
  const clues: Clue[] = look === null ? [] : [look];
  if (isNamed(evidence)) {
    if (isAlone) clues.push('named, alone');
    else if (evidence.endsSentence) clues.push('named, ends its sentence');
    return clues;
  }
  if (isAlone) clues.push('unnamed, alone');
  else if (evidence.isLabelled) clues.push('unnamed, after a colon');
  else clues.push('unnamed, inside a sentence');
  if (isAlone && isParagraph) clues.push('unnamed, a paragraph');
  if (isFirst) clues.push('unnamed, first');
  if (look === 'large' && isAlone) clues.push('unnamed, large');
  return clues;
}

const YEAR = /^(?:19|20)[0-9]{2}$/;

function shapeClues({ code, kind, oddity }: Shape, evidence: Evidence): Clue[] {
  const length = code.replace(/[^A-Za-z0-9]/g, '').length;
  const clues: Clue[] = [];
  const signs = SIGNS[length];
  const unnamed = isNamed(evidence) ? undefined : UNNAMED_SIGNS[length];
  const isSaid = isNamed(evidence) && isIntroduced(evidence);
  const isDigits = kind === 'digits' || kind === 'grouped';
  const isTold = isSaid || evidence.verb !== null;
  if (isDigits && signs !== undefined && !(isTold && length === 4)) clues.push(signs);
  if (isDigits && unnamed !== undefined) clues.push(unnamed);
  if (kind === 'grouped') clues.push('grouped');
  if (kind === 'letters') clues.push('letters');
  if (/^[A-Z]{4,}[0-9]{2}$/.test(code)) clues.push('a word with a number');
  if (kind === 'loose') clues.push('any letters');
  if (YEAR.test(code)) clues.push('a year');
  if (oddity === 'day') clues.push('a day');
  if (oddity === 'sequence') clues.push('a sequence');
  if (/^[0-9]+00$/.test(code)) clues.push('round');
  return clues;
}

function unnamedClues({ subject, all, others, known }: MailFacts): Clue[] {
  const clues: Clue[] = [];
  const add = (clue: Clue, holds: boolean) => {
    if (holds) clues.push(clue);
  };
  const namesCode = all.has('oneTime') || all.has('code');
  add('unnamed, subject names a code', subject.has('oneTime') || subject.has('code'));
  add('unnamed, mail names a code', all.has('oneTime'));
  add('unnamed, mail has a word for codes', namesCode);
  add('unnamed, mail asks to enter', all.has('enter'));
  add('unnamed, mail verifies', all.has('verify'));
  add('unnamed, mail is about a sign-in', all.has('signIn') || all.has('password'));
  add('unnamed, mail expires', all.has('expires'));
  add('unnamed, mail is in an unknown language', known <= 1);
  add('unnamed, of trade: three words', others >= 3);
  add('unnamed, mail has known words only of other things', others > 0 && !namesCode);
  return clues;
}
