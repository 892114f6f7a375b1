import { type Alternatives, parsePattern, type Term } from './parse-pattern.ts';
import type { Pattern } from './patterns.ts';

/** A text that grows: `before`, then `pump` and `follower` as often as the length allows, then `tail`. */
export interface Growing {
  readonly before: string;
  readonly pump: string;
  /** What follows the pumps, as often as they. */
  readonly follower: string;
  readonly tail: string;
}

/** A repetition is worth an attack if it may match as many characters as this. */
const MANY = 10;
/** Which sample of each choice is taken. */
const VARIANTS = [0, 1, 2, 3];
const MAX_PUMPS = 8;
const MAX_CHARACTERS = 32;
/** A tail that few patterns match, and one that many do. */
const TAILS = ['\u0001', '\n'];
/** With the second one, a pattern for the beginning of a text does not match it. */
const HEADS = ['', '\u0001'];

const COMMON = [
  ...'aA0 \n\t.,-_/:@"\'<>()[]{}=;&\\+*#%!?|~^$`',
  ...['\r', '\u0000', '\u00a0', 'é', '\u0301', '\u064b', 'ع', '\u200c', '\u200d', '\ufe0f', '中', '：', '😀', '\ud83d'],
];

/**
 * Makes growing texts for a pattern from its own pieces. Returns none if it repeats nothing and so reads a bounded number
 * of characters from each place.
 */
export function hostileInputs({ source, flags }: Pattern): Growing[] {
  const parsed = parsePattern(source, flags);
  const spots = spotsOf(parsed, flags);
  if (spots.length === 0) return [];
  const made = new Map<string, Growing>();
  const add = (growing: Growing) => {
    if (growing.pump !== '') made.set(JSON.stringify(growing), growing);
  };
  for (const pump of charactersOf(parsed, flags))
    for (const before of HEADS) for (const tail of TAILS) add({ before, pump, follower: '', tail });
  for (const [at, { before, pumps }] of spots.entries()) {
    const next = spots[at + 1]?.pumps.slice(0, 2) ?? [];
    for (const pump of pumps) {
      for (const tail of TAILS) {
        add({ before, pump, follower: '', tail });
        add({ before: '', pump: before + pump, follower: '', tail });
      }
      for (const follower of next) add({ before, pump, follower, tail: '\u0001' });
    }
  }
  return [...made.values()];
}

interface Spot {
  /** A text that leads to the repetition. */
  readonly before: string;
  /** Texts that it matches once. */
  readonly pumps: readonly string[];
}

function spotsOf(alternatives: Alternatives, flags: string, before = ''): Spot[] {
  return alternatives.flatMap((sequence) => {
    const spots: Spot[] = [];
    let led = before;
    for (const term of sequence) {
      if (term.kind === 'place') continue;
      if (term.kind !== 'look' && term.max >= MANY) {
        const pumps = [...new Set(VARIANTS.map((variant) => once(term, flags, variant)))];
        spots.push({ before: led, pumps: pumps.slice(0, MAX_PUMPS) });
      }
      if (term.kind !== 'character') spots.push(...spotsOf(term.inner, flags, led));
      led += sampleOf(term, flags, 0);
    }
    return spots;
  });
}

/** Writes a text that the alternatives match. `variant` chooses among the possible texts. */
function sample(alternatives: Alternatives, flags: string, variant: number): string {
  const sequence = alternatives[variant % alternatives.length] ?? [];
  return sequence.map((term) => sampleOf(term, flags, variant)).join('');
}

function sampleOf(term: Term, flags: string, variant: number): string {
  if (term.kind === 'place') return '';
  if (term.kind === 'look') return term.isNegative ? '' : sample(term.inner, flags, variant);
  const times = Math.min(Math.max(term.min, Math.min(1, term.max)), 100);
  return once(term, flags, variant).repeat(times);
}

function once(term: Exclude<Term, { kind: 'place' | 'look' }>, flags: string, variant: number): string {
  if (term.kind === 'group') return sample(term.inner, flags, variant);
  const matched = charactersLike(term.source, flags);
  return matched[variant % Math.max(1, matched.length)] ?? '';
}

/** Returns a few characters that the terms of a pattern match. */
function charactersOf(alternatives: Alternatives, flags: string): string[] {
  const found = new Set<string>();
  const collect = (terms: Alternatives): void => {
    for (const term of terms.flat()) {
      if (term.kind === 'group' || term.kind === 'look') collect(term.inner);
      else if (term.kind === 'character')
        for (const character of charactersLike(term.source, flags).slice(0, 8)) found.add(character);
    }
  };
  collect(alternatives);
  return [...found].slice(0, MAX_CHARACTERS);
}

const known = new Map<string, readonly string[]>();

/** Returns characters that an atom matches: common ones, or else the first in Unicode. */
function charactersLike(source: string, flags: string): readonly string[] {
  const key = `${flags.replace(/[gdy]/g, '')} ${source}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const matches = new RegExp(`^(?:${source})$`, flags.replace(/[gdym]/g, ''));
  const found = COMMON.filter((character) => matches.test(character));
  for (let code = 0; found.length === 0 && code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (matches.test(character)) found.push(character);
  }
  known.set(key, found);
  return found;
}
