import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MailContent } from '../src/extract/bounds.ts';
import { AGAINST, type Clue, EITHER, FOR } from '../src/extract/code-weights.ts';
import { judged, type ScoredShape, scoredPlaces } from '../src/extract/codes.ts';
import { corpusMails, reportedMails } from '../test/extract/corpus.ts';
import { MAILS_OF_ACCOUNTS } from '../test/extract/mails-of-accounts.ts';
import { MAILS_OF_TRADE } from '../test/extract/mails-of-trade.ts';
import { MAILS_WITH_CODES } from '../test/extract/mails-with-codes.ts';
import { PLAIN, TRAPS } from '../test/extract/sentences-with-codes.ts';

// This program fits the weights of the clues about codes, and measures the finder: `jiti .build/fit-codes.ts [--write]`.
// test/corpus/FIGURES.md describes the method. Every project is held out in turn: its mails are judged with weights that were
// fitted without them.

/** A mail with the codes that a person would enter. Several mean that nobody can tell which. */
interface Example extends MailContent {
  readonly id: string;
  readonly project: string;
  readonly language: string;
  readonly codes: readonly string[];
}

/** A mail with its candidates at all their places, which do not depend on the weights. */
interface Read extends Example {
  readonly places: readonly (readonly ScoredShape[])[];
  readonly weight: number;
}

/** A candidate at one place, as numbers. */
interface Point {
  readonly clues: readonly number[];
  readonly isCode: boolean;
  readonly weight: number;
}

type Weights = readonly number[];
type Outcome = 'right' | 'wrong' | 'missed' | 'ambiguous';

/** The name of the bias, which is no clue. */
const BIAS = 'bias';
const NAMES = [BIAS, ...Object.keys({ ...FOR, ...AGAINST, ...EITHER })];
const INDEX = new Map<string, number>(NAMES.map((name, index) => [name, index]));
const SIGNS = NAMES.map((name) => (name in FOR ? 1 : name in AGAINST ? -1 : 0));
/** A wrong code costs more than a missed one. */
const COST_OF_WRONG = 3;
/** The weight of a mail whose words are hidden, so that the structure alone has to tell. */
const WITHOUT_WORDS = 0.25;
/** The weight of a mail whose code is replaced by one of another length, with other numbers below. */
const ANOTHER_LENGTH = 0.5;
const LENGTHS = [4, 8, 5, 7, 6, 9];
/** The numbers that stand below many mails. */
const FOOTER = '\n\nExample Ltd, 1204 High Street, 48213 Exampletown\nHRB 771209, 030 5550142\n© 2026';
const SMALL = 0.002;
const UNTOLD = 0.5;
const STEPS = 1_500;
const ROUNDS = 3;

const examples = [...(await fromCorpus()), ...own()];
const whole = examples.map((one): Read => ({ ...one, places: scoredPlaces(one), weight: 1 }));
// Without words nobody could tell the traps.
const blind = examples
  .filter(({ project }) => project !== 'traps')
  .map((one): Read => ({ ...one, places: scoredPlaces(one, () => []), weight: WITHOUT_WORDS }));
const longer = examples
  .flatMap(withAnotherLength)
  .map((one): Read => ({ ...one, places: scoredPlaces(one), weight: ANOTHER_LENGTH }));
const all = [...whole, ...blind, ...longer];
const weights = fitted(all);
report(
  'Fitted on all mails, measured on the same mails',
  measured(whole, () => weights),
);
const heldOut = new Map<string, Weights>();
for (const project of new Set(examples.map((one) => one.project))) {
  heldOut.set(project, fitted(all.filter((one) => one.project !== project)));
}
const weightsFor = ({ project }: Read) => heldOut.get(project) ?? weights;
report('Each project measured with weights that were fitted without it', measured(whole, weightsFor), true);
report('The same, with codes of other lengths', measured(longer, weightsFor));
report('The same, with all known words hidden: by structure alone', measured(blind, weightsFor));
if (process.argv.includes('--write')) write(weights);

/** The templates are the projects', but the codes in them are ours, so a code of another length is as good. */
function withAnotherLength(one: Example, index: number): Example[] {
  const [code, second] = one.codes;
  const length = LENGTHS[index % LENGTHS.length] ?? 4;
  if (code === undefined || second !== undefined || !/^[0-9]+$/.test(code) || code.length === length) return [];
  const other = `${Number(code) * 7919 + 1_234_567_891}`.slice(-length);
  const replaced = (text: string | null) => text?.replaceAll(code, other) ?? null;
  const { subject, text, html } = one;
  if (![subject, text, html].some((part) => part?.includes(code))) return [];
  const footer = index % 2 === 0 ? FOOTER : '';
  const withFooter = (part: string | null, signs: string) =>
    part === null ? null : part + footer.replaceAll('\n', signs);
  return [
    {
      ...one,
      subject: replaced(subject),
      text: withFooter(replaced(text), '\n'),
      html: withFooter(replaced(html), '<br>'),
      codes: [other],
    },
  ];
}

async function fromCorpus(): Promise<Example[]> {
  const mails = [...corpusMails(), ...(await reportedMails())];
  return mails.map(({ code, ...mail }) => ({ ...mail, codes: code === null ? [] : [code] }));
}

/** The mails of the tests. Most are in English. */
function own(): Example[] {
  const example = (project: string, id: string, mail: Partial<MailContent>, codes: readonly string[]): Example => {
    const { subject = null, text = null, html = null } = mail;
    return { id, project, language: 'en', subject, text, html, codes };
  };
  const mails = [...MAILS_OF_ACCOUNTS, ...MAILS_OF_TRADE].flatMap(({ name, code, ...mail }) =>
    code === undefined ? [] : [example('tests-mails', name, mail, code === null ? [] : [code].flat())],
  );
  const short = MAILS_WITH_CODES.map(({ name, codes, ...mail }) => example('tests-short', name, mail, codes));
  const sentences = [...TRAPS, ...PLAIN].flatMap(([text, code]) =>
    code === 'several' ? [] : [example('tests-sentences', text, { text }, code === 'none' ? [] : [code])],
  );
  return [...mails, ...short, ...sentences];
}

/** Fits the weights. The likeliest place of a candidate depends on them, so it is chosen again in each round. */
function fitted(some: readonly Read[]): Weights {
  let found: Weights = NAMES.map(() => 0);
  for (let round = 0; round < ROUNDS; round++)
    found = descended(
      some.flatMap((one) => pointsOf(one, found)),
      found,
    );
  return found;
}

function oddsOf(clues: readonly Clue[], by: Weights): number {
  return clues.reduce((sum, clue) => sum + (by[INDEX.get(clue) ?? 0] ?? 0), by[0] ?? 0);
}

/** The likeliest place of each candidate that nothing refuses outright. */
function pointsOf({ places, codes, weight }: Read, by: Weights): Point[] {
  return places.flatMap((every) => {
    const open = every.filter(({ refused }) => refused === undefined);
    const [best] = open.sort((a, b) => oddsOf(b.clues, by) - oddsOf(a.clues, by));
    if (best === undefined) return [];
    const isCode = codes.some((code) => isSame(code, best.shape.code));
    const clues = [0, ...best.clues.map((clue) => INDEX.get(clue) ?? 0)];
    return [{ clues, isCode, weight: weight * (isCode || weight === WITHOUT_WORDS ? 1 : COST_OF_WRONG) }];
  });
}

/** Gradient descent on the logistic loss. Each clue has its sign, and a weight of one half if no mail tells. */
function descended(points: readonly Point[], from: Weights): number[] {
  const found = [...from];
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const speed = found.map(() => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = found.map((value, index) => SMALL * (value - UNTOLD * (SIGNS[index] ?? 0)));
    for (const { clues, isCode, weight } of points) {
      let odds = 0;
      for (const clue of clues) odds += found[clue] as number;
      const off = ((1 / (1 + Math.exp(-odds)) - (isCode ? 1 : 0)) * weight) / total;
      for (const clue of clues) gradient[clue] = (gradient[clue] as number) + off;
    }
    for (const [index, slope] of gradient.entries()) {
      speed[index] = 0.95 * (speed[index] ?? 0) - slope;
      const value = (found[index] ?? 0) + (speed[index] ?? 0);
      const sign = SIGNS[index] ?? 0;
      const isAllowed = sign === 0 || value * sign >= 0;
      found[index] = isAllowed ? value : 0;
      if (!isAllowed) speed[index] = 0;
    }
  }
  return found;
}

function isSame(one: string, other: string): boolean {
  return one.replace(/[ -]/g, '') === other.replace(/[ -]/g, '');
}

function measured(some: readonly Read[], weightsOf: (one: Read) => Weights) {
  return some.map((one) => {
    const by = weightsOf(one);
    const places = one.places.map((every) => every.map((place) => ({ ...place, points: oddsOf(place.clues, by) })));
    const first = judged(places).codes.filter(({ rank }) => rank === 1);
    const found = first.map(({ code }) => code);
    return [one, outcomeOf(one, found)] as const;
  });
}

function outcomeOf({ codes }: Example, found: readonly string[]): Outcome {
  const [first, second] = found;
  const isRight = found.length === codes.length && found.every((one) => codes.some((code) => isSame(one, code)));
  if (isRight) return 'right';
  if (first === undefined) return 'missed';
  return second === undefined ? 'wrong' : 'ambiguous';
}

function report(title: string, all: readonly (readonly [Example, Outcome])[], isFull = false): void {
  console.log(`\n${title}`);
  table(
    'mails with a code',
    all.filter(([{ codes }]) => codes.length > 0),
  );
  table(
    'mails without a code',
    all.filter(([{ codes }]) => codes.length === 0),
  );
  if (!isFull) return;
  for (const key of ['project', 'language'] as const) {
    console.log(`\nby ${key}: mails, right, wrong, missed, ambiguous`);
    const nameOf = ([one]: readonly [Example, Outcome]) => one[key].split('-', key === 'language' ? 1 : 9).join('-');
    for (const name of [...new Set(all.map(nameOf))].sort()) {
      table(
        name,
        all.filter((one) => nameOf(one) === name),
      );
    }
  }
  for (const [{ id, language, codes }, outcome] of all) {
    if (outcome !== 'right') console.log(`${outcome}: ${id} (${language}), ${codes.join(' or ') || 'none'}`);
  }
}

function table(name: string, all: readonly (readonly [Example, Outcome])[]): void {
  const count = (outcome: Outcome) => all.filter(([, one]) => one === outcome).length;
  const counts = (['right', 'wrong', 'missed', 'ambiguous'] as const).map(count);
  console.log(
    `${name.padEnd(28)} ${String(all.length).padStart(5)}  ${counts.map((n) => String(n).padStart(5)).join('')}`,
  );
}

function write(by: Weights): void {
  const path = join(import.meta.dirname, '../src/extract/code-weights.ts');
  const rows = new Map(NAMES.map((name, index) => [name, (by[index] ?? 0).toFixed(2)]));
  const source = readFileSync(path, 'utf8')
    .replace(/(?<=const BIAS = )-?[\d.]+/, rows.get(BIAS) ?? '')
    .replace(/^( {2}(?:'(.+)'|([a-z]+)): )-?[\d.]+/gm, (_, head, quoted, name) => head + rows.get(quoted ?? name));
  writeFileSync(path, source);
}
