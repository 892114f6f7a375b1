import { setImmediate } from 'node:timers/promises';
import { isObject } from '../text/unknown.ts';
import { Download } from './exchange.ts';

/** The size from which JSON is written in pieces, in characters. Less is written at once, in a millisecond or two. */
const MANY_CHARACTERS = 256 * 1024;
const PIECE_CHARACTERS = 64 * 1024;

type Row = object;

/**
 * Returns a small answer as it is. Returns a large one as a download of JSON in pieces, between which other requests
 * are served. A piece is made when the client has taken those before it, so the size is not known at the start. The
 * strings may be long, because a sender chooses them.
 */
export function inPieces<Value extends Row | readonly Row[]>(value: Value): Value | Download {
  if (charactersOf(value) <= MANY_CHARACTERS) return value;
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new Download(headers, null, () => oneByOne(isList(value) ? listPieces(value) : rowPieces(value)));
}

function isList(value: Row | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value);
}

function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.every(isObject);
}

function charactersOf(value: Row | readonly Row[]): number {
  const rows = isList(value) ? value : [value];
  let characters = 0;
  for (const row of rows) {
    for (const field of Object.values(row)) {
      if (typeof field === 'string') characters += field.length;
      else if (isRows(field) || isObject(field)) characters += charactersOf(field);
    }
  }
  return characters;
}

function* listPieces(rows: readonly Row[]): Generator<string> {
  let between = '[';
  for (const row of rows) {
    yield between;
    yield* rowPieces(row);
    between = ',';
  }
  yield `${between === '[' ? '[' : ''}]`;
}

/** Yields the JSON of an object in pieces. */
export function* rowPieces(row: Row): Generator<string> {
  let held = '{';
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined) continue;
    held += `${held === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (isRows(value) || isObject(value)) {
      yield held;
      yield* isObject(value) ? rowPieces(value) : listPieces(value);
      held = '';
      continue;
    }
    if (typeof value !== 'string' || value.length <= PIECE_CHARACTERS) {
      held += JSON.stringify(value);
      continue;
    }
    yield `${held}"`;
    yield* textPieces(value);
    held = '"';
  }
  yield `${held}}`;
}

/** Yields the JSON of a string without its quotes. */
function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const cut = at + PIECE_CHARACTERS;
    // A piece must not split a surrogate pair.
    const end = isHighSurrogate(text.charCodeAt(cut - 1)) ? cut + 1 : cut;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

async function* oneByOne(texts: Iterable<string>): AsyncGenerator<Buffer> {
  for (const text of texts) {
    yield Buffer.from(text);
    await setImmediate();
  }
}
