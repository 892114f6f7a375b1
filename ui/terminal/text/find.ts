import { type Paint, unstyled } from './style.ts';

/** A range of characters in a line, not counting styles. */
export interface LineRange {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** One match. It has several parts if it continues on the next line. */
export type Match = readonly LineRange[];

/** The largest number of matches that a search returns. */
const MAX_MATCHES = 10_000;

/** Finds a text in lines, regardless of case. A match may continue after a line break at a space. */
export function findInLines(lines: readonly string[], wanted: string): readonly Match[] {
  const words = wanted.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const plain = lines.map(unstyled);
  const starts: number[] = [];
  let length = 0;
  for (const line of plain) {
    starts.push(length);
    length += line.length + 1;
  }
  const pattern = new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('\\s+'), 'gi');
  const matches: Match[] = [];
  let line = 0;
  for (const { index, 0: found } of plain.join('\n').matchAll(pattern)) {
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= index) line++;
    matches.push(partsOf(index, index + found.length, line, starts, plain));
    if (matches.length >= MAX_MATCHES) break;
  }
  return matches;
}

function partsOf(
  start: number,
  end: number,
  first: number,
  starts: readonly number[],
  plain: readonly string[],
): Match {
  const parts: LineRange[] = [];
  for (let line = first; (starts[line] ?? end) < end; line++) {
    const offset = starts[line] ?? 0;
    const from = Math.max(0, start - offset);
    const to = Math.min(plain[line]?.length ?? 0, end - offset);
    if (to > from) parts.push({ line, start: from, end: to });
  }
  return parts;
}

/** Highlights ranges of a line. The line's own colours are removed. */
export function setOff(line: string, parts: readonly LineRange[], paint: Paint): string {
  if (parts.length === 0) return line;
  const plain = unstyled(line);
  let shown = '';
  let at = 0;
  for (const { start, end } of parts) {
    shown += plain.slice(at, start) + paint(plain.slice(start, end));
    at = end;
  }
  return shown + plain.slice(at);
}
