const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** What may follow the boundary on its line: `--` and CRLF. */
export const AFTER_BOUNDARY = 4;

/** `more`: the bytes at hand do not tell. */
export type Delimiter = 'none' | 'opens' | 'closes' | 'more';

/**
 * What a line is that begins with `--` and a boundary, whose last byte is before `at`. RFC 2046 5.1.1, as mailparser
 * reads it: no white space after the boundary, and the end of the mail ends a line.
 */
export function delimiterAt(data: Buffer, at: number, final: boolean): Delimiter {
  const lf = lineFeed(data, at);
  if (lf < 0 && data.length - at < AFTER_BOUNDARY && !final) return 'more';
  if (lf < 0 && (!final || data.length - at > AFTER_BOUNDARY)) return 'none';
  const end = lf < 0 ? data.length : lf + 1;
  const first = data[at];
  if (end === at) return 'none';
  if (first === CR || first === LF) return 'opens';
  if (first !== DASH || (end > at + 1 && data[at + 1] !== DASH)) return 'none';
  return isLineEnd(data, at + 2, end) ? 'closes' : 'none';
}

/** Where the line feed is that ends the delimiter's line, -1 where none is near enough. */
function lineFeed(data: Buffer, at: number): number {
  const last = Math.min(data.length, at + AFTER_BOUNDARY);
  for (let index = at; index < last; index++) if (data[index] === LF) return index;
  return -1;
}

function isLineEnd(data: Buffer, at: number, end: number): boolean {
  if (at >= end) return true;
  if (data[at] === LF) return at + 1 === end;
  return data[at] === CR && (at + 1 === end || (data[at + 1] === LF && at + 2 === end));
}
