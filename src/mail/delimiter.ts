// RFC 2046 5.1.1 and 5.1.2, read as mailparser does: a delimiter is a line of its own, no white space follows the boundary,
// a lone CR may precede it, and the end of the mail ends its line. A "delimiter" here is `--` and the boundary. The line is
// that of the innermost multipart it fits; that of one further out ends all within.

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const HYPHENS = Buffer.from('\n--');
const HYPHENS_AFTER_CR = Buffer.from('\n\r--');
const NEAR_BYTES = 100;

/** What may follow the boundary on its line: `--` and CRLF. */
export const AFTER_BOUNDARY = 4;

/** A delimiter's line. */
export interface Found {
  /** Whose delimiter it is: a position in the list that was asked for. */
  readonly of: number;
  /** It has `--` at its end: no more parts follow. */
  readonly closes: boolean;
  /** Behind the line. */
  readonly end: number;
}

/** The bytes at hand do not tell what the line is that begins there. */
export interface Unknown {
  readonly start: number;
}

export interface Place {
  /** Those that mean something here, innermost first. */
  readonly delimiters: readonly Buffer[];
  /** The longest of them, in bytes. */
  readonly longest: number;
  /** The data begins within a line. */
  readonly midLine: boolean;
  /** Nothing follows the data. */
  readonly final: boolean;
}

/** The next delimiter's line in a body; null where there is none. Its cost is the length of the data, whatever lines there are. */
export function nextDelimiter(data: Buffer, at: number, place: Place): Found | Unknown | null {
  const lines = new HyphenLines(data, at, place.midLine);
  for (let start = lines.next(); start >= 0; start = lines.next()) {
    const found = readLine(data, start, data.length, place);
    if (found !== null) return found;
  }
  return null;
}

/** What the whole line from `at` to `end` is in a header. */
export function delimiterLine(
  data: Buffer,
  at: number,
  end: number,
  place: Pick<Place, 'delimiters' | 'longest'>,
): Found | null {
  if (place.delimiters.length === 0 || (data[at] !== DASH && data[at] !== CR)) return null;
  const { delimiters, longest } = place;
  const found = readLine(data, at, end, { delimiters, longest, midLine: false, final: true });
  return found !== null && 'of' in found ? found : null;
}

/** Where lines begin that open with two hyphens, in order. */
class HyphenLines {
  readonly #data: Buffer;
  #first: number;
  #at: number;
  /** The next that no CR precedes, as far as it is known: before #at it is not, -1 where there is none. */
  #plain = 0;

  constructor(data: Buffer, at: number, midLine: boolean) {
    this.#data = data;
    this.#at = at;
    const opensLine = at === 0 ? !midLine : data[at - 1] === LF;
    this.#first = opensLine && opensWithHyphens(data, at) ? at : -1;
  }

  /** -1 where there is none. */
  next(): number {
    const first = this.#first;
    this.#first = -1;
    if (first >= 0) return first;
    const lf = this.#near() ?? this.#far();
    this.#at = lf < 0 ? this.#data.length : lf + 1;
    return lf < 0 ? -1 : lf + 1;
  }

  /** Where there are many they are near, and a search for each costs more than a look at some bytes. */
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
    // Not beyond the other: what is not there is not looked for again and again.
    const afterCr = (this.#plain < 0 ? data : data.subarray(0, this.#plain)).indexOf(HYPHENS_AFTER_CR, from);
    return afterCr < 0 ? this.#plain : afterCr;
  }
}

function opensWithHyphens(data: Buffer, at: number): boolean {
  const from = data[at] === CR ? at + 1 : at;
  // Of what is not there yet nothing is known.
  return (data[from] ?? DASH) === DASH && (data[from + 1] ?? DASH) === DASH;
}

function readLine(data: Buffer, start: number, length: number, place: Place): Found | Unknown | null {
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
    if (kind !== 'none') return { of, closes: kind === 'closes', end };
  }
  return null;
}

/** By what stands behind the boundary up to the end of its line. */
function kindOf(data: Buffer, at: number, end: number): 'none' | 'opens' | 'closes' {
  if (end === at) return 'none';
  if (data[at] === CR || data[at] === LF) return 'opens';
  if (data[at] !== DASH || (end > at + 1 && data[at + 1] !== DASH)) return 'none';
  return isLineBreak(data, at + 2, end) ? 'closes' : 'none';
}

function isLineBreak(data: Buffer, at: number, end: number): boolean {
  if (at >= end) return true;
  if (data[at] === LF) return at + 1 === end;
  return data[at] === CR && (at + 1 === end || (data[at + 1] === LF && at + 2 === end));
}

/** Where the next line feed is, -1 where there is none before `last`. */
function lineFeed(data: Buffer, at: number, last: number): number {
  for (let index = at; index < last; index++) if (data[index] === LF) return index;
  return -1;
}

function isAt(data: Buffer, at: number, delimiter: Buffer): boolean {
  // Where many look alike they differ at their ends.
  for (let index = delimiter.length - 1; index >= 0; index--) if (data[at + index] !== delimiter[index]) return false;
  return true;
}
