// Multipart delimiters (RFC 2046 5.1.1 and 5.1.2). A delimiter is `--` and the boundary on a line of its own. White space
// may follow it, a lone CR may precede the line, and the end of the mail also ends it. A line belongs to the innermost multipart whose delimiter it is. The delimiter of an outer multipart
// ends all inner ones.

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;
const HYPHENS = Buffer.from('\n--');
const HYPHENS_AFTER_CR = Buffer.from('\n\r--');
const NEAR_BYTES = 100;

/** The number of bytes that may follow the boundary on its line: `--`, white space and CRLF. A line has 998 bytes. */
export const AFTER_BOUNDARY = 1_000;

export interface DelimiterLine {
  /** The index of the delimiter in the given list. */
  readonly of: number;
  /** Tells whether it is the close-delimiter, which ends with `--`. No parts follow. */
  readonly closes: boolean;
  /** The position of the line. */
  readonly start: number;
  /** The position after the line. */
  readonly end: number;
}

/** A line that starts at `start` and may be a delimiter. More bytes are needed to tell. */
export interface UndecidedLine {
  readonly start: number;
}

export interface DelimiterPlace {
  /** The delimiters that apply here, innermost first. */
  readonly delimiters: readonly Buffer[];
  /** The length of the longest delimiter, in bytes. */
  readonly longest: number;
  /** Tells whether the data starts in the middle of a line. */
  readonly midLine: boolean;
  /** Tells whether the data is the end of the mail. */
  readonly final: boolean;
}

/**
 * Finds the next line with a delimiter in a body. Returns null if there is none. Its cost is linear in the length of
 * the data.
 */
export function nextDelimiter(data: Buffer, at: number, place: DelimiterPlace): DelimiterLine | UndecidedLine | null {
  const lines = new HyphenLines(data, at, place.midLine);
  for (let start = lines.next(); start >= 0; start = lines.next()) {
    const found = readLine(data, start, data.length, place);
    if (found !== null) return found;
  }
  return null;
}

/** Tells whether the complete header line from `at` to `end` is a delimiter. Returns null if it is not. */
export function delimiterLine(
  data: Buffer,
  at: number,
  end: number,
  place: Pick<DelimiterPlace, 'delimiters' | 'longest'>,
): DelimiterLine | null {
  if (place.delimiters.length === 0 || (data[at] !== DASH && data[at] !== CR)) return null;
  const { delimiters, longest } = place;
  const found = readLine(data, at, end, { delimiters, longest, midLine: false, final: true });
  return found !== null && 'of' in found ? found : null;
}

/** Finds the starts of lines that begin with two hyphens, in order. */
class HyphenLines {
  readonly #data: Buffer;
  #first: number;
  #at: number;
  /** The next match without a preceding CR. It is outdated if it lies before #at, and -1 if there is none. */
  #plain = 0;

  constructor(data: Buffer, at: number, midLine: boolean) {
    this.#data = data;
    this.#at = at;
    const opensLine = at === 0 ? !midLine : data[at - 1] === LF;
    this.#first = opensLine && opensWithHyphens(data, at) ? at : -1;
  }

  /** Returns the start of the next line, or -1. */
  next(): number {
    const first = this.#first;
    this.#first = -1;
    if (first >= 0) return first;
    const lf = this.#near() ?? this.#far();
    this.#at = lf < 0 ? this.#data.length : lf + 1;
    return lf < 0 ? -1 : lf + 1;
  }

  /** Searches the next bytes one by one. If there are many matches they are close, and indexOf costs more for each. */
  #near(): number | undefined {
    const data = this.#data;
    const end = Math.min(data.length, this.#at + NEAR_BYTES);
    for (; this.#at < end; this.#at++) {
      const at = this.#at;
      if (data[at] === LF && (isAt(data, at, HYPHENS) || isAt(data, at, HYPHENS_AFTER_CR))) return at;
    }
    return undefined;
  }

  #far(): number {
    const data = this.#data;
    const from = this.#at;
    if (this.#plain >= 0 && this.#plain < from) this.#plain = data.indexOf(HYPHENS, from);
    // The search ends at the other match, so that a missing pattern is not searched again and again.
    const afterCr = (this.#plain < 0 ? data : data.subarray(0, this.#plain)).indexOf(HYPHENS_AFTER_CR, from);
    return afterCr < 0 ? this.#plain : afterCr;
  }
}

function opensWithHyphens(data: Buffer, at: number): boolean {
  const from = data[at] === CR ? at + 1 : at;
  // Bytes that have not arrived yet may be hyphens.
  return (data[from] ?? DASH) === DASH && (data[from + 1] ?? DASH) === DASH;
}

function readLine(
  data: Buffer,
  start: number,
  length: number,
  place: DelimiterPlace,
): DelimiterLine | UndecidedLine | null {
  const { delimiters, longest, final } = place;
  const from = data[start] === CR ? start + 1 : start;
  if (data[from] !== undefined && data[from] !== DASH) return null;
  const lf = lineFeed(data, from, Math.min(length, from + longest + AFTER_BOUNDARY));
  if (lf < 0 && !final) return length - from < longest + AFTER_BOUNDARY ? { start } : null;
  if (lf < 0 && length - from > longest + AFTER_BOUNDARY) return null;
  const end = lf < 0 ? length : lf + 1;
  for (let of = 0; of < delimiters.length; of++) {
    const delimiter = delimiters[of];
    if (delimiter === undefined) break;
    const after = from + delimiter.length;
    if (after > end || end - after > AFTER_BOUNDARY || !isAt(data, from, delimiter)) continue;
    const kind = kindOf(data, after, end);
    if (kind !== 'none') return { of, closes: kind === 'closes', start, end };
  }
  return null;
}

/** Classifies a line by the bytes between the boundary and its end. */
function kindOf(data: Buffer, at: number, end: number): 'none' | 'opens' | 'closes' {
  const closes = data[at] === DASH && at + 1 < end && data[at + 1] === DASH;
  if (!isLineBreak(data, closes ? at + 2 : at, end)) return 'none';
  return closes ? 'closes' : 'opens';
}

/** Tells whether nothing but white space stands before the end of the line. */
function isLineBreak(data: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at < end && (data[at] === SPACE || data[at] === TAB)) at++;
  if (at < end && data[at] === CR) at++;
  return at === end || (data[at] === LF && at + 1 === end);
}

/** Returns the position of the next line feed before `last`, or -1. */
function lineFeed(data: Buffer, at: number, last: number): number {
  for (let index = at; index < last; index++) if (data[index] === LF) return index;
  return -1;
}

function isAt(data: Buffer, at: number, delimiter: Buffer): boolean {
  // Similar boundaries differ at their ends, so the comparison starts there.
  for (let index = delimiter.length - 1; index >= 0; index--) if (data[at + index] !== delimiter[index]) return false;
  return true;
}
