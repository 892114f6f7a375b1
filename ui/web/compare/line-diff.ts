/** One line of a diff: it is in both texts, only in the old one, or only in the new one. */
export interface DiffLine {
  readonly is: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** The largest text, in lines, that is compared line by line. A larger text counts as replaced as a whole. */
const MAX_LINES = 2_000;

/** Compares two texts line by line by their longest common subsequence. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = differing(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (texts: readonly string[]) => texts.map((text): DiffLine => ({ is: 'same', text }));
  return [...same(a.slice(0, head)), ...middle, ...same(tail === 0 ? [] : a.slice(-tail))];
}

/** Counts the removed and the added lines of a diff. */
export function diffCounts(lines: readonly DiffLine[]): { readonly gone: number; readonly fresh: number } {
  return { gone: lines.filter(({ is }) => is === 'gone').length, fresh: lines.filter(({ is }) => is === 'new').length };
}

function differing(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = (text: string): DiffLine => ({ is: 'gone', text });
  const fresh = (text: string): DiffLine => ({ is: 'new', text });
  if (a.length > MAX_LINES || b.length > MAX_LINES) return [...a.map(gone), ...b.map(fresh)];
  const width = b.length + 1;
  // Each cell holds the length of the longest common subsequence of the lines from position i and from position j on.
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ is: 'same', text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(left));
      i++;
    } else if (right !== undefined) {
      lines.push(fresh(right));
      j++;
    }
  }
  return lines;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/);
}
