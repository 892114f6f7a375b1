import { fold } from '../../text/fold.ts';
import { nearest, slipOf } from '../../text/nearest.ts';
import {
  HAVINGS,
  MARK_WORDS,
  SEARCH_WORDS,
  type SearchHas,
  type SearchMark,
  type SearchWord,
  TEXT_FIELDS,
  type TextField,
} from '../../text/search-words.ts';
import { shorten } from '../../text/shorten.ts';
import { type ApiError, refuse, unreachable } from '../errors.ts';
import { parseTag } from '../marks.ts';
import { DAY_MS, parseTime, writeTime } from '../time.ts';

/** One condition of a search. `not` negates it. */
export type Term = { readonly not: boolean } & (
  | {
      readonly kind: 'text';
      /** The field to search. Null searches subject, sender, recipients, bodies and file names. */
      readonly field: TextField | null;
      /** The text to find, which is never empty. It has single spaces between words only, and its case is ignored. */
      readonly text: string;
    }
  /** A header field with this name, in lower case, whose value contains the text. An empty text admits any value. */
  | { readonly kind: 'header'; readonly name: string; readonly text: string }
  | { readonly kind: 'has'; readonly what: SearchHas }
  | { readonly kind: 'html' }
  | { readonly kind: 'mark'; readonly what: SearchMark }
  /** With a tag of this name, whatever its case. */
  | { readonly kind: 'tag'; readonly name: string }
  /** Received at or after the time (`after`), or before it (`before`). Milliseconds since 1970. */
  | { readonly kind: 'after' | 'before'; readonly time: number }
  /** Larger or smaller than this number of bytes. */
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
);

/** The conditions of a search. All must hold; an empty list matches everything. */
export type SearchQuery = readonly Term[];

/** Writes a query as a text that parses to the same query. */
export function writeQuery(query: SearchQuery): string {
  return query.map((term) => (term.not ? `!${writeTerm(term)}` : writeTerm(term))).join(' ');
}

function writeTerm(term: Term): string {
  switch (term.kind) {
    case 'text':
      return term.field === null ? quoted(term.text) : `${term.field}:${quoted(term.text)}`;
    case 'header':
      return `header:${quoted(term.text === '' ? term.name : `${term.name}=${term.text}`)}`;
    case 'has':
      return `has:${term.what}`;
    case 'html':
      return 'is:html';
    case 'mark':
      return `is:${term.what}`;
    case 'tag':
      return `tag:${quoted(term.name)}`;
    case 'after':
    case 'before':
      return `${term.kind}:${writeTime(term.time)}`;
    case 'larger':
    case 'smaller':
      return `${term.kind}:${term.bytes}`;
    default:
      return unreachable(term);
  }
}

/** Quotes a text so that the parser takes it literally as one word. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The limits of a query. Its cost is the number of words times the number of mails. */
export const MOST_CHARACTERS = 2_000;
export const MOST_WORDS = 50;

/** How a query is read. */
export interface QueryReading {
  /** The time by which `after:1h` and `before:yesterday` go, in milliseconds since 1970. Without it they are refused. */
  readonly now?: number;
  /**
   * Tells that somebody is still typing the query. Words that only lack their end, such as `from:`, are then left out,
   * and a quote that is not closed ends with the query.
   */
  readonly isPartial?: boolean;
}

/**
 * Parses a query. Throws `invalid_query` with `message`, a sentence, and `position`, the index of the wrong character.
 */
export function parseQuery(text: string, { now, isPartial = false }: QueryReading = {}): SearchQuery {
  if (text.length > MOST_CHARACTERS)
    throw wrong(MOST_CHARACTERS, `The query is longer than ${MOST_CHARACTERS} characters.`);
  const words = wordsOf(text, isPartial).filter((word) => !isInvisible(word) && !(isPartial && isUnfinished(word)));
  const surplus = words[MOST_WORDS];
  if (surplus !== undefined) throw wrong(surplus.at, `The query has more than ${MOST_WORDS} words.`);
  return words.map((word) => termOf(word, now));
}

/** A word of the query, delimited by spaces. */
interface Word {
  /** The index of its first character. */
  readonly at: number;
  readonly not: boolean;
  /** The text before the first quote. A search word must stand there. */
  readonly bare: string;
  /** The whole word without quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
}

const SPACE = /\s/;

/** Tells whether a word shows nothing, such as a lone soft hyphen. Quotes and a colon would show. */
function isInvisible({ bare, text, isQuoted }: Word): boolean {
  return !isQuoted && bare === text && foldsToNothing(text);
}

function foldsToNothing(text: string): boolean {
  return fold(text).trim() === '';
}

function wordsOf(text: string, isPartial: boolean): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < text.length; ) {
    if (SPACE.test(text.charAt(at))) at++;
    else at = wordAt(text, at, words, isPartial);
  }
  return words;
}

/** Reads the word that starts at `begin` and returns its end. */
function wordAt(text: string, begin: number, words: Word[], isPartial: boolean): number {
  const next = text.charAt(begin + 1);
  // A lone `!` or `-` is plain text.
  const not = /[!-]/.test(text.charAt(begin)) && next !== '' && !SPACE.test(next);
  let at = not ? begin + 1 : begin;
  let bare: string | null = null;
  let read = '';
  while (at < text.length && !SPACE.test(text.charAt(at))) {
    if (text.charAt(at) !== '"') {
      read += text.charAt(at++);
      continue;
    }
    bare ??= read;
    const { inside, end } = quotedAt(text, at, isPartial);
    read += inside;
    at = end;
  }
  words.push({ at: begin, not, bare: bare ?? read, text: read, isQuoted: bare !== null });
  return at;
}

/** Reads the content of the quotes that open at `open`. `\"` and `\\` stand for the second character. */
function quotedAt(text: string, open: number, isPartial: boolean): { inside: string; end: number } {
  let inside = '';
  for (let at = open + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { inside, end: at + 1 };
    if (char === '\\' && /["\\]/.test(text.charAt(at + 1))) at++;
    inside += text.charAt(at);
  }
  if (isPartial) return { inside, end: text.length };
  throw wrong(open, 'This quote is not closed.');
}

/** Tells whether a word only lacks its end, as while it is typed. */
function isUnfinished({ bare, text, isQuoted }: Word): boolean {
  if (!isQuoted && (text === '!' || text === '-')) return true;
  const colon = bare.indexOf(':');
  if (colon < 1) return foldsToNothing(text);
  const name = bare.slice(0, colon).toLowerCase();
  const value = text.slice(colon + 1).toLowerCase();
  const known = SEARCH_WORDS.find(({ word }) => word === `${name}:`);
  // A URL that begins, as `https:/` does, is no search word.
  if (known === undefined) return value === '/';
  if (foldsToNothing(value)) return true;
  if (known.values !== undefined) return known.values.some((one) => one.startsWith(value) && !isValue(known, value));
  if (name === 'after' || name === 'before') return timeFrom(value, 0) === null && mayBecomeTime(value);
  return (name === 'larger' || name === 'smaller') && UNFINISHED_SIZE.test(value);
}

function isValue({ values }: SearchWord, value: string): boolean {
  return values?.includes(value) === true;
}

function termOf(word: Word, now: number | undefined): Term {
  const { not, text } = word;
  const colon = word.bare.indexOf(':');
  const name = word.bare.slice(0, Math.max(0, colon)).toLowerCase();
  if (colon < 1) return { kind: 'text', field: null, not, text: textOf(word, text, '""') };
  const value = text.slice(colon + 1);
  const field = TEXT_FIELDS.find((one) => one === name);
  if (field !== undefined) return { kind: 'text', field, not, text: textOf(word, value, `${name}:`) };
  switch (name) {
    case 'header':
      return { kind: 'header', not, ...headerOf(word, value) };
    case 'has':
      return { kind: 'has', not, what: havingOf(word, value) };
    case 'is':
      return { not, ...stateOf(word, value) };
    case 'tag':
      return { kind: 'tag', not, name: tagOf(word, value) };
    case 'after':
    case 'before':
      return { kind: name, not, time: timeOf(word, name, value, now) };
    case 'larger':
    case 'smaller':
      return { kind: name, not, bytes: sizeOf(word, name, value) };
    default:
      checkName(word, name, value);
      return { kind: 'text', field: null, not, text: textOf(word, text, '""') };
  }
}

function stateOf({ at }: Word, value: string): { readonly kind: 'html' } | { readonly kind: 'mark'; what: SearchMark } {
  const name = value.toLowerCase();
  if (name === 'html') return { kind: 'html' };
  const what = MARK_WORDS.find((one) => one === name);
  if (what === undefined)
    throw wrong(
      at,
      `${named('is', value)} is not known; is:html, ${MARK_WORDS.map((one) => `is:${one}`).join(', ')} are.`,
    );
  return { kind: 'mark', what };
}

function tagOf(word: Word, value: string): string {
  const name = parseTag(textOf(word, value, 'tag:'));
  if (name === null)
    throw wrong(word.at, `${named('tag', value)} names no tag; tags have letters, digits, spaces and - _ . @.`);
  return name;
}

function textOf({ at }: Word, value: string, name: string): string {
  const text = singleSpaced(value);
  if (foldsToNothing(text))
    throw wrong(at, name === '""' ? 'Nothing stands between these quotes.' : `${name} needs a text.`);
  return text;
}

/** A name of a header field (RFC 5322 3.6.8). */
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;

/** Reads a header condition: a name, and after `=` a text that the value contains. */
function headerOf(word: Word, value: string): { readonly name: string; readonly text: string } {
  const equals = value.indexOf('=');
  const name = (equals < 0 ? value : value.slice(0, equals)).trim().toLowerCase();
  if (!HEADER_NAME.test(name))
    throw wrong(
      word.at,
      `${named('header', value)} names no header field; header:x-campaign and header:x-campaign=spring do.`,
    );
  return { name, text: equals < 0 ? '' : singleSpaced(value.slice(equals + 1)) };
}

function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function havingOf({ at }: Word, value: string): SearchHas {
  const name = value.toLowerCase();
  const having = HAVINGS.find((one) => one === name || `${one}s` === name);
  if (having === undefined)
    throw wrong(at, `${named('has', value)} is not known; has:attachment, has:inline, has:code and has:link are.`);
  return having;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Ends for a time that is still typed. With one of them, every beginning of a valid time is valid. */
const TIME_ENDS = ['2026-01-01T00:00:00.000', '2026-10-10T00:00', '2026-10-10'];
const OFFSET = /[+-][\d:]{0,5}$/;

/** Tells whether a text may become a day or a time when more is typed. */
function mayBecomeTime(value: string): boolean {
  if (/^\d{1,6}$/.test(value) || DAY_NAMES.some((one) => one.startsWith(value))) return true;
  const ends = TIME_ENDS.map((end) => value + end.slice(value.length));
  if (OFFSET.test(value) && value.includes('t')) ends.push(value.replace(OFFSET, ''));
  return ends.some((end) => timeFrom(end, undefined) !== null);
}

function timeOf({ at }: Word, name: string, value: string, now: number | undefined): number {
  const time = timeFrom(value, now);
  if (time !== null) return time;
  const examples = ['2026-11-20', '2026-11-20T15:55Z', ...(now === undefined ? [] : ['yesterday', '1h'])];
  throw wrong(at, `${named(name, value)} names no day or time; ${listOf(examples.map((one) => `${name}:${one}`))} do.`);
}

function timeFrom(value: string, now: number | undefined): number | null {
  return parseTime(DAY.test(value) ? `${value}T00:00Z` : value) ?? relativeTime(value, now);
}

function listOf(all: readonly string[]): string {
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const AGO = /^(\d{1,6})(s|m|h|d|w)$/i;
const AGO_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** The days of the week as in `Date`, and then the two days without a date. */
const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'today', 'yesterday'];

/**
 * Reads a time before `now`: so long ago, or the start of a day in UTC. A day of the week is the last one, which may be
 * today. Null if the text is something else.
 */
function relativeTime(value: string, now: number | undefined): number | null {
  if (now === undefined) return null;
  const [, count, unit = ''] = AGO.exec(value) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * (AGO_MS[unit.toLowerCase()] ?? 0));
  const day = DAY_NAMES.indexOf(value.toLowerCase());
  if (day < 0) return null;
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (day >= 7) return today - (day - 7) * DAY_MS;
  return today - ((new Date(today).getUTCDay() - day + 7) % 7) * DAY_MS;
}

const SIZE = /^(\d{1,12}(?:\.\d{1,3})?)\s?(k|m|g)?b?$/i;
const UNFINISHED_SIZE = /^\d{1,12}\.$/;
const UNITS: Readonly<Record<string, number>> = { k: 1_024, m: 1_024 ** 2, g: 1_024 ** 3 };

function sizeOf({ at }: Word, name: string, value: string): number {
  const [, number, unit = ''] = SIZE.exec(value) ?? [];
  if (number === undefined)
    throw wrong(at, `${named(name, value)} names no size; ${name}:500, ${name}:20k and ${name}:1.5m do.`);
  return Math.trunc(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
}

const NAMES = SEARCH_WORDS.map(({ word }) => word.slice(0, -1));
const LONG_NAMES = NAMES.filter((name) => name.length > 3);

/**
 * Refuses an unknown search word instead of searching for it as text. `!form:ada` would otherwise match, and delete,
 * nearly everything. A URL, a time, and a word that ends with its colon, such as `Re:`, are texts.
 */
function checkName({ at }: Word, name: string, value: string): void {
  const isWord = value !== '' && /^[a-z][\w-]*$/.test(name) && !isUrl(name, value);
  const meant = isWord ? nearest(name, NAMES) : slipOf(name, LONG_NAMES);
  if (!isWord && meant === null) return;
  const question = meant === null ? '.' : `; did you mean ${meant}:?`;
  throw wrong(at, `${named(name, '')} is no search word${question} Quotes around it make it a text.`);
}

function isUrl(name: string, value: string): boolean {
  return value.startsWith('//') || ['mailto', 'tel', 'localhost'].includes(name);
}

const SHOWN = 40;

/** Returns the word as typed, cut if it is long. */
function named(name: string, value: string): string {
  return shorten(`${name}:${value}`, SHOWN);
}

function wrong(position: number, message: string): ApiError {
  return refuse('invalid_query', { message, position });
}
