import { type Field, headerBlock, isBlank, lineEnd, readFields } from '../mail/header-block.ts';
import { ROOT, readPart } from '../mail/part.ts';
import { Lines } from './lines.ts';
import type { HeaderField, RawFacts, SourceRange } from './mail.ts';

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
  const long: Found = { range: null };
  const eight: Found = { range: null };
  for (const { start, end } of fields) {
    const at = firstEight(raw, start, end);
    if (at >= 0) note(eight, at, Math.min(end, at + SHOWN));
  }
  const parts = new Parts(raw);
  for (let at = 0; at < raw.length; ) {
    const next = lineEnd(raw, at);
    const end = withoutBreak(raw, next);
    if (end - at > MAX_LINE) note(long, at, end);
    parts.line(at, next);
    if (parts.isUndeclared && !parts.isTold) {
      const found = firstEight(raw, at, end);
      if (found >= 0) {
        parts.isTold = true;
        note(eight, found, Math.min(end, found + SHOWN));
      }
    }
    at = next;
  }
  return {
    sizeBytes: raw.length,
    longLines: listOf(long),
    eightBit: listOf(eight),
    lines: new Lines('source', () => raw.toString('latin1')),
  };
}

interface Found {
  range: { readonly start: number; readonly end: number; count: number } | null;
}

function note(found: Found, start: number, end: number): void {
  if (found.range === null) found.range = { start, end, count: 1 };
  else found.range.count++;
}

function listOf({ range }: Found): SourceRange[] {
  return range === null ? [] : [range];
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
    const { delimiters, role } = readPart(fields, ROOT);
    for (const delimiter of delimiters) {
      if (this.#delimiters.size < MAX_DELIMITERS) this.#delimiters.add(delimiter.toString('latin1'));
    }
    this.#inHeader = false;
    this.isTold = false;
    // The preamble of a multipart is no content, and its parts declare their own encoding.
    this.isUndeclared = role !== 'multipart' && !DECLARED.has(encodingOf(fields));
  }
}

function encodingOf(fields: readonly Field[]): string {
  const field = fields.find(({ name }) => name === 'content-transfer-encoding');
  return field?.value.toString('latin1').trim().toLowerCase() ?? '';
}
