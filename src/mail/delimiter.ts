// RFC 2046 5.1.1, read as mailparser does: a delimiter is a line of its own, no white space follows the boundary, a lone
// CR may precede it, and the end of the mail ends its line. A "delimiter" here is `--` and the boundary.

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** What may follow the boundary on its line: `--` and CRLF. */
export const AFTER_BOUNDARY = 4;

/** What a delimiter's line does: `children end` and `end` are those with `--` at their end. */
export type Delimiter = 'child' | 'children end' | 'sibling' | 'end';

export interface Place {
  /** The delimiter of the parts inside. */
  readonly inner: Buffer | null;
  /** The delimiter that ends the part. */
  readonly outer: Buffer | null;
  /** The data begins within a line. */
  readonly midLine: boolean;
  /** Nothing follows the data. */
  readonly final: boolean;
}

type Found =
  | { readonly what: Delimiter; readonly end: number }
  /** The bytes at hand do not tell what the line is that begins there. */
  | { readonly what: 'more'; readonly start: number };

/** The next delimiter's line in a body, and where it ends. */
export function nextDelimiter(data: Buffer, at: number, place: Place): Found | null {
  const { inner, outer } = place;
  let from = at;
  let nextOuter = find(data, outer, from);
  for (;;) {
    // Not beyond the outer one: a delimiter that never comes is not searched for again and again.
    const nextInner = inner === null ? -1 : upTo(data, nextOuter, inner).indexOf(inner, from);
    const isInner = nextInner >= 0;
    const found = isInner ? nextInner : nextOuter;
    if (found < 0) return null;
    const start = lineStart(data, found, place.midLine);
    if (start >= 0) {
      const after = found + ((isInner ? inner : outer)?.length ?? 0);
      const kind = kindOf(data, after, place.final);
      if (kind === 'more') return { what: 'more', start };
      if (kind !== 'none') return { what: named(isInner, kind), end: lineEnd(data, after) };
    }
    from = found + 1;
    if (!isInner) nextOuter = find(data, outer, from);
  }
}

/** What the whole line from `at` to `end` does in a header, where only the owner's delimiter ends anything. */
export function delimiterLine(data: Buffer, at: number, end: number, outer: Buffer | null): Delimiter | null {
  if (outer === null) return null;
  const start = data[at] === CR ? at + 1 : at;
  if (data[start] !== DASH || end - start <= outer.length) return null;
  if (outer.compare(data, start, start + outer.length) !== 0) return null;
  const kind = kindOf(data.subarray(0, end), start + outer.length, true);
  return kind === 'opens' || kind === 'closes' ? named(false, kind) : null;
}

function named(isInner: boolean, kind: 'opens' | 'closes'): Delimiter {
  if (isInner) return kind === 'opens' ? 'child' : 'children end';
  return kind === 'opens' ? 'sibling' : 'end';
}

/** By what stands behind the boundary, at `at`. */
function kindOf(data: Buffer, at: number, final: boolean): 'none' | 'opens' | 'closes' | 'more' {
  const lf = lineFeed(data, at);
  if (lf < 0 && data.length - at < AFTER_BOUNDARY && !final) return 'more';
  if (lf < 0 && (!final || data.length - at > AFTER_BOUNDARY)) return 'none';
  const end = lf < 0 ? data.length : lf + 1;
  if (end === at) return 'none';
  if (data[at] === CR || data[at] === LF) return 'opens';
  if (data[at] !== DASH || (end > at + 1 && data[at + 1] !== DASH)) return 'none';
  return isLineBreak(data, at + 2, end) ? 'closes' : 'none';
}

/** Where the line feed is that ends a delimiter's line, -1 where none is near enough. */
function lineFeed(data: Buffer, at: number): number {
  const last = Math.min(data.length, at + AFTER_BOUNDARY);
  for (let index = at; index < last; index++) if (data[index] === LF) return index;
  return -1;
}

function isLineBreak(data: Buffer, at: number, end: number): boolean {
  if (at >= end) return true;
  if (data[at] === LF) return at + 1 === end;
  return data[at] === CR && (at + 1 === end || (data[at + 1] === LF && at + 2 === end));
}

/** Where the line begins that a delimiter found there would stand on alone, -1 when it is within one. */
function lineStart(data: Buffer, found: number, midLine: boolean): number {
  if (opensLine(data, found, midLine)) return found;
  return data[found - 1] === CR && opensLine(data, found - 1, midLine) ? found - 1 : -1;
}

function opensLine(data: Buffer, at: number, midLine: boolean): boolean {
  return at === 0 ? !midLine : data[at - 1] === LF;
}

function find(data: Buffer, delimiter: Buffer | null, from: number): number {
  return delimiter === null ? -1 : data.indexOf(delimiter, from);
}

function upTo(data: Buffer, next: number, delimiter: Buffer): Buffer {
  return next < 0 ? data : data.subarray(0, next + delimiter.length);
}

function lineEnd(data: Buffer, from: number): number {
  const lf = data.indexOf(LF, from);
  return lf < 0 ? data.length : lf + 1;
}
