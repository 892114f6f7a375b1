/**
 * The scroll state of an open text: the first visible line, the number of lines, the rows on the screen, and the
 * search.
 */
export interface Scroll {
  readonly top: number;
  readonly lines: number;
  readonly height: number;
  readonly find: TextSearch | null;
}

/** A search within the open text. */
export interface TextSearch {
  readonly text: string;
  /** The line number of each match, in ascending order. */
  readonly matches: readonly number[];
  /** The index of the current match. */
  readonly at: number;
  /** The first visible line when the search began. */
  readonly from: number;
}

export const TOP: Scroll = { top: 0, lines: 0, height: 1, find: null };

export function scrolled(scroll: Scroll, by: number): Scroll {
  return at(scroll, scroll.top + by);
}

export function scrolledTo(scroll: Scroll, end: 'first' | 'last'): Scroll {
  return at(scroll, end === 'first' ? 0 : scroll.lines);
}

/**
 * Applies a new layout, for another width or another text. The scroll position moves in proportion, so that the reader
 * sees the same passage.
 */
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

/** Starts a search at the current position. The text '' ends the search. */
export function lookedFor(scroll: Scroll, text: string): Scroll {
  if (text === '') return { ...at(scroll, scroll.find?.from ?? scroll.top), find: null };
  const from = scroll.find?.from ?? scroll.top;
  return { ...scroll, find: { text, matches: [], at: 0, from } };
}

/** Goes to the next or the previous match. After the last match comes the first one. */
export function matchMoved(scroll: Scroll, by: 1 | -1): Scroll {
  const { find } = scroll;
  if (find === null || find.matches.length === 0) return scroll;
  const count = find.matches.length;
  return inSight({ ...scroll, find: { ...find, at: (find.at + by + count) % count } });
}

/** Scrolls the current match into view, with some lines above it. */
function inSight(scroll: Scroll): Scroll {
  const { find, top, height } = scroll;
  const line = find?.matches[find.at];
  if (line === undefined) return scroll;
  return line >= top && line < top + height ? scroll : at(scroll, line - Math.floor(height / 3));
}

function at(scroll: Scroll, top: number): Scroll {
  return { ...scroll, top: Math.max(0, Math.min(top, scroll.lines - scroll.height)) };
}
