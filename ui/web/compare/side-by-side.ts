import type { DiffLine } from './line-diff.ts';

/** A line of two texts side by side. A side is null if only the other text has this line. */
export interface Pair {
  readonly same: boolean;
  readonly left: string | null;
  readonly right: string | null;
}

/** A stretch of a diff: lines that differ, with some equal lines around them, or equal lines that are left out. */
export type DiffStretch =
  | { readonly is: 'shown'; readonly from: number; readonly pairs: readonly Pair[] }
  | { readonly is: 'left out'; readonly from: number; readonly pairs: readonly Pair[] };

/** The number of equal lines shown before and after lines that differ. */
const AROUND = 3;

/** Arranges a diff in two columns. A removed line is beside the line that replaced it. */
export function sideBySide(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.is === 'same') {
      pairs.push({ same: true, left: line.text, right: line.text });
      at++;
      continue;
    }
    const gone: string[] = [];
    const fresh: string[] = [];
    for (let next = lines[at]; next !== undefined && next.is !== 'same'; next = lines[++at])
      (next.is === 'gone' ? gone : fresh).push(next.text);
    for (let row = 0; row < Math.max(gone.length, fresh.length); row++)
      pairs.push({ same: false, left: gone[row] ?? null, right: fresh[row] ?? null });
  }
  return pairs;
}

/** Splits lines into those near a difference and long runs of equal ones, which a reader can leave out. */
export function stretches(pairs: readonly Pair[]): readonly DiffStretch[] {
  const shown = new Uint8Array(pairs.length);
  for (const [index, { same }] of pairs.entries())
    if (!same) shown.fill(1, Math.max(0, index - AROUND), Math.min(pairs.length, index + AROUND + 1));
  const found: DiffStretch[] = [];
  for (let from = 0; from < pairs.length; ) {
    let to = from;
    while (to < pairs.length && shown[to] === shown[from]) to++;
    found.push({ is: shown[from] === 1 ? 'shown' : 'left out', from, pairs: pairs.slice(from, to) });
    from = to;
  }
  return found;
}

/** Splits two lines into the start they share, the part that differs, and the end they share. */
export function changedPart(
  left: string,
  right: string,
): { readonly start: string; readonly left: string; readonly right: string; readonly end: string } {
  // The texts are compared by code points, because half of a surrogate pair is not a character.
  const [a, b] = [[...left], [...right]];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return {
    start: a.slice(0, head).join(''),
    left: a.slice(head, a.length - tail).join(''),
    right: b.slice(head, b.length - tail).join(''),
    end: tail === 0 ? '' : a.slice(-tail).join(''),
  };
}

/**
 * Breaks HTML into lines at its tags, so that two texts can be compared tag by tag. It changes only the white space
 * between tags.
 */
export function markupLines(html: string): string {
  return html
    .replace(/>\s*</g, '>\n<')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}
