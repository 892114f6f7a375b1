import { findFolded } from '../../text/fold.ts';
import { type DocumentField, FIELDS_OF } from './document.ts';
import { headerStart, partOf } from './match-query.ts';
import type { SearchQuery, Term } from './query.ts';

/** A place in a mail at which a search word matched. */
export interface FoundPlace {
  readonly field: DocumentField;
  /** The words around the place, in one line. An ellipsis marks a cut. */
  readonly snippet: string;
  /** The place at which the match begins in the snippet, in UTF-16 code units as in JavaScript. */
  readonly start: number;
  readonly length: number;
}

/** The texts of a mail as they were received. The bodies are in pieces, and a null separates two of them. */
export interface ReceivedTexts {
  texts(field: Exclude<DocumentField, 'body'>): readonly (string | null)[];
  body(): Iterable<string | null>;
}

/** The most places of one message. */
const MOST_PLACES = 5;

/** Finds the first place of each search word in a message that matches. Negated words have none. */
export function* findPlaces(query: SearchQuery, mail: ReceivedTexts): Generator<void, FoundPlace[]> {
  const places: FoundPlace[] = [];
  for (const term of query) {
    if (term.not || places.length >= MOST_PLACES) continue;
    const place = yield* placeOf(term, mail);
    if (place !== null && !places.some((one) => isSame(one, place))) places.push(place);
  }
  return places;
}

function isSame(one: FoundPlace, other: FoundPlace): boolean {
  return one.field === other.field && one.snippet === other.snippet && one.start === other.start;
}

function* placeOf(term: Term, mail: ReceivedTexts): Generator<void, FoundPlace | null> {
  if (term.kind === 'header') return headerPlace(term, mail);
  if (term.kind !== 'text') return null;
  const part = partOf(term.text);
  for (const field of FIELDS_OF[term.field ?? 'any']) {
    if (field === 'body') {
      const place = yield* bodyPlace(mail.body(), part);
      if (place !== null) return place;
      continue;
    }
    for (const text of mail.texts(field)) {
      const place = text === null ? null : findFolded(text, part);
      if (text !== null && place !== null) return placeIn(field, text, place);
    }
  }
  return null;
}

function headerPlace({ name, text }: Extract<Term, { kind: 'header' }>, mail: ReceivedTexts): FoundPlace | null {
  const start = headerStart(name);
  const part = partOf(text);
  for (const field of mail.texts('header')) {
    const begin = field === null ? null : findFolded(field.slice(0, start.length), start);
    if (field === null || begin === null) continue;
    if (part === '') return placeIn('header', field, { start: 0, end: begin.end - 1 });
    const place = findFolded(field.slice(begin.end), part);
    if (place !== null) return placeIn('header', field, { start: begin.end + place.start, end: begin.end + place.end });
  }
  return null;
}

/** The characters of a body that are looked at together, and how many stay for the next look. */
const WINDOW = 16 * 1024;
const KEPT = 4 * 1024;

function* bodyPlace(pieces: Iterable<string | null>, part: string): Generator<void, FoundPlace | null> {
  let window = '';
  for (const piece of pieces) {
    if (piece !== null) window += piece.replace(/\s+/g, ' ');
    if (piece !== null && window.length < WINDOW) continue;
    const place = findFolded(window, part);
    // The words behind the match may be in the next piece.
    if (place !== null && (piece === null || place.end + AFTER <= window.length)) return placeIn('body', window, place);
    if (place === null) window = piece === null ? '' : window.slice(whole(window, window.length - KEPT));
    yield;
  }
  const place = findFolded(window, part);
  return place === null ? null : placeIn('body', window, place);
}

const BEFORE = 40;
const AFTER = 100;
/** The longest shown match. */
const LONGEST = 160;

function placeIn(field: DocumentField, text: string, { start, end }: { start: number; end: number }): FoundPlace {
  const from = start <= BEFORE ? 0 : wordStart(text, start - BEFORE, start);
  const to = text.length <= end + AFTER ? text.length : wordEnd(text, end, end + AFTER);
  const before = lineOf(text.slice(from, start)).trimStart();
  const match = lineOf(text.slice(start, end)).slice(0, LONGEST);
  const after = lineOf(text.slice(end, to)).trimEnd();
  const head = `${from > 0 ? '…' : ''}${before}`;
  return {
    field,
    snippet: `${head}${match}${after}${to < text.length ? '…' : ''}`,
    start: head.length,
    length: match.length,
  };
}

function lineOf(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

/** Returns where the first word after `from` begins, or `from` if there is none before `to`. */
function wordStart(text: string, from: number, to: number): number {
  const space = text.slice(from, to).search(/\s/);
  return space < 0 ? whole(text, from) : from + space + 1;
}

/** Returns where the last word before `to` ends, or `to` if there is none after `from`. */
function wordEnd(text: string, from: number, to: number): number {
  const space = /\s\S*$/.exec(text.slice(from, to));
  return space === null ? whole(text, to) : from + space.index;
}

/** Moves a cut out of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;
}
