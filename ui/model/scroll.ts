/** A text being read: how far down, of how many lines, in how many rows, and what is looked for in it. */
export interface Scroll {
  readonly top: number;
  readonly lines: number;
  readonly height: number;
  readonly find: Find | null;
}

/** What is looked for in a text. */
export interface Find {
  readonly text: string;
  /** The line of each match, ascending. */
  readonly matches: readonly number[];
  /** The match the reader is at. */
  readonly at: number;
  /** How far down the reader was when it began. */
  readonly from: number;
}

export const TOP: Scroll = { top: 0, lines: 0, height: 1, find: null };

export function scrolled(scroll: Scroll, by: number): Scroll {
  return at(scroll, scroll.top + by);
}

export function scrolledTo(scroll: Scroll, end: 'first' | 'last'): Scroll {
  return at(scroll, end === 'first' ? 0 : scroll.lines);
}

/** The text was laid out anew: for another width, or it is another text. What was read stays in sight. */
export function measured(scroll: Scroll, lines: number, height: number, matches: readonly number[] = []): Scroll {
  const { find } = scroll;
  const isSame = scroll.lines === lines && scroll.height === height;
  const isFound = find === null || find.matches === matches || String(find.matches) === String(matches);
  if (isSame && isFound) return scroll;
  const share = scroll.lines > 0 ? lines / scroll.lines : 1;
  const laidOut = isSame ? scroll : at({ ...scroll, lines, height }, Math.round(scroll.top * share));
  if (find === null || isFound) return laidOut;
  const next = Math.max(
    0,
    matches.findIndex((line) => line >= find.from),
  );
  return inSight({ ...laidOut, find: { ...find, matches, at: next } });
}

/** Looks for a text from where the reader is; '' ends it. */
export function lookedFor(scroll: Scroll, text: string): Scroll {
  if (text === '') return { ...at(scroll, scroll.find?.from ?? scroll.top), find: null };
  const from = scroll.find?.from ?? scroll.top;
  return { ...scroll, find: { text, matches: [], at: 0, from } };
}

/** To the next match or the one before; around at the ends. */
export function matchMoved(scroll: Scroll, by: 1 | -1): Scroll {
  const { find } = scroll;
  if (find === null || find.matches.length === 0) return scroll;
  const count = find.matches.length;
  return inSight({ ...scroll, find: { ...find, at: (find.at + by + count) % count } });
}

/** Brings the match the reader is at on the screen, with some lines above it. */
function inSight(scroll: Scroll): Scroll {
  const { find, top, height } = scroll;
  const line = find?.matches[find.at];
  if (line === undefined) return scroll;
  return line >= top && line < top + height ? scroll : at(scroll, line - Math.floor(height / 3));
}

function at(scroll: Scroll, top: number): Scroll {
  return { ...scroll, top: Math.max(0, Math.min(top, scroll.lines - scroll.height)) };
}
