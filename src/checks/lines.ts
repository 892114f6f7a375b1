import type { MailPlace, PartName } from './finding.ts';

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
    const line = lineOf(starts, from);
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

function startsOf(text: string): number[] {
  const starts = [0];
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) starts.push(lf + 1);
  return starts;
}

/** Returns the index of the last start that is not after the position. */
function lineOf(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
