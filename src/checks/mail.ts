import type { Authentication } from '../mail/authenticate.ts';
import { headerBlock, isBlank, lineEnd, readFields } from '../mail/header-block.ts';
import { ROOT, readPart } from '../mail/part.ts';
import { firstIndex } from '../text/first-index.ts';
import type { MailPlace, PartName, ReportAt, Reporter } from './finding.ts';

/** A mail as the checks see it. */
export interface CheckedMail {
  readonly subject: string | null;
  /** The decoded bodies. */
  readonly text: string | null;
  readonly html: string | null;
  readonly fields: readonly HeaderField[];
  readonly source: RawFacts;
  readonly authentication: Authentication;
}

/** A header field of the mail. */
export interface HeaderField {
  /** The name in lower case. */
  readonly name: string;
  /** The unfolded value; bytes beyond ASCII are Latin-1. */
  readonly value: string;
  /** The range of the field in the bytes of the raw message. */
  readonly start: number;
  readonly end: number;
}

/** The facts of the raw bytes. Ranges count bytes of the raw message. */
interface RawFacts {
  readonly longLines: FirstRange | null;
  /** The first bytes beyond ASCII of each header field or part that does not declare them. */
  readonly eightBit: FirstRange | null;
  readonly lines: Lines;
}

/** The first of some ranges, and their number. */
interface FirstRange {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

export function fieldNamed(mail: CheckedMail, name: string): HeaderField | null {
  return mail.fields.find((field) => field.name === name) ?? null;
}

export function placeOfField({ source }: CheckedMail, field: HeaderField | null): MailPlace | null {
  return field === null ? null : source.lines.at(field.start, field.end, field.name);
}

const EXCERPT = 120;

/** A text whose positions can be named as lines and columns. */
export class Lines {
  readonly #part: PartName;
  readonly #read: () => string;
  #known: { readonly text: string; readonly starts: readonly number[] } | null = null;

  /** `read` returns the text. It is called once, when the first place is asked for. */
  constructor(part: PartName, read: () => string) {
    this.#part = part;
    this.#read = read;
  }

  /** Returns the place of a range. A range beyond the text is cut. */
  at(start: number, end: number, field: string | null = null): MailPlace {
    const { text, starts } = this.#open();
    const from = Math.max(0, Math.min(start, text.length));
    const to = Math.max(from, Math.min(end, text.length));
    const line = firstIndex(starts.length, (at) => (starts[at] ?? 0) > from) - 1;
    const column = from - (starts[line] ?? 0) + 1;
    const excerpt = text
      .slice(from, Math.min(to, from + EXCERPT))
      .replace(/\s+/g, ' ')
      .trim();
    return { part: this.#part, field, line: line + 1, column, start: from, end: to, excerpt };
  }

  #open() {
    if (this.#known !== null) return this.#known;
    const text = this.#read();
    this.#known = { text, starts: startsOf(text) };
    return this.#known;
  }
}

/** Returns a function that reports findings at ranges of a text. */
export function reportIn(lines: Lines, reporter: Reporter): ReportAt {
  return (finding, { start, end }) => reporter.add({ ...finding, place: lines.at(start, end) });
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) starts.push(lf + 1);
  return starts;
}

/** The longest line in bytes, without its line break (RFC 5322 2.1.1). */
const MAX_LINE = 998;
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const DECLARED = new Set(['8bit', 'binary']);
/** The number of bytes that are shown after the first undeclared one. */
const SHOWN = 60;

/** Reads the header fields of a mail with their places. */
export function readHeaderFields(raw: Buffer): HeaderField[] {
  const { block } = headerBlock(raw);
  return readFields(block, null).fields.map(({ name, value }) => {
    const from = value.byteOffset - block.byteOffset;
    const start = block.lastIndexOf(LF, from) + 1;
    const end = from + value.length;
    return { name, value: unfolded(value), start, end: withoutBreak(block, end) };
  });
}

function unfolded(value: Buffer): string {
  return value
    .toString('latin1')
    .replace(/\r?\n[ \t]*/g, ' ')
    .trim();
}

/** Reads the facts of the raw bytes, line by line. Its cost is linear. */
export function readSource(raw: Buffer, fields: readonly HeaderField[]): RawFacts {
  let longLines: FirstRange | null = null;
  let eightBit: FirstRange | null = null;
  for (const { start, end } of fields) {
    const at = firstEight(raw, start, end);
    if (at >= 0) eightBit = withOneMore(eightBit, at, Math.min(end, at + SHOWN));
  }
  const parts = new Parts(raw);
  for (let at = 0; at < raw.length; ) {
    const next = lineEnd(raw, at);
    const end = withoutBreak(raw, next);
    if (end - at > MAX_LINE) longLines = withOneMore(longLines, at, end);
    parts.line(at, next);
    if (parts.isUndeclared && !parts.isTold) {
      const found = firstEight(raw, at, end);
      if (found >= 0) {
        parts.isTold = true;
        eightBit = withOneMore(eightBit, found, Math.min(end, found + SHOWN));
      }
    }
    at = next;
  }
  return { longLines, eightBit, lines: new Lines('source', () => raw.toString('latin1')) };
}

function withOneMore(first: FirstRange | null, start: number, end: number): FirstRange {
  return first === null ? { start, end, count: 1 } : { ...first, count: first.count + 1 };
}

function firstEight(raw: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) if ((raw[at] ?? 0) > 0x7f) return at;
  return -1;
}

function withoutBreak(raw: Buffer, end: number): number {
  const before = raw[end - 1] === LF ? end - 1 : end;
  return before < end && raw[before - 1] === CR ? before - 1 : before;
}

/** The number of boundary delimiters that are tracked at a time. No mail for people nests more. */
const MAX_DELIMITERS = 100;

/** Follows the parts of a mail from line to line, as far as their declared encoding goes. */
class Parts {
  readonly #raw: Buffer;
  readonly #delimiters = new Set<string>();
  #headerFrom = 0;
  #inHeader = true;
  isUndeclared = false;
  /** Tells whether an undeclared byte was reported for this part. */
  isTold = false;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  line(at: number, end: number): void {
    if (this.#inHeader) {
      if (!isBlank(this.#raw, at, end)) return;
      this.#endHeader(at);
    } else if (this.#raw[at] === DASH && this.#raw[at + 1] === DASH && this.#isDelimiter(at, end)) {
      this.#inHeader = true;
      this.#headerFrom = end;
      this.isUndeclared = false;
    }
  }

  #isDelimiter(at: number, end: number): boolean {
    const line = this.#raw.toString('latin1', at, Math.min(end, at + 1_100)).trimEnd();
    return this.#delimiters.has(line);
  }

  #endHeader(at: number): void {
    const block = this.#raw.subarray(this.#headerFrom, at);
    const { fields } = readFields(block, null);
    const { delimiters, encoding, role } = readPart(fields, ROOT);
    for (const delimiter of delimiters) {
      if (this.#delimiters.size < MAX_DELIMITERS) this.#delimiters.add(delimiter.toString('latin1'));
    }
    this.#inHeader = false;
    this.isTold = false;
    // The preamble of a multipart is no content, and its parts declare their own encoding.
    this.isUndeclared = role !== 'multipart' && !DECLARED.has(encoding);
  }
}
