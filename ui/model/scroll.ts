/** A text being read: how far down, of how many lines, in how many rows. */
export interface Scroll {
  readonly top: number;
  readonly lines: number;
  readonly height: number;
}

export const TOP: Scroll = { top: 0, lines: 0, height: 1 };

export function scrolled(scroll: Scroll, by: number): Scroll {
  return at(scroll, scroll.top + by);
}

export function scrolledTo(scroll: Scroll, end: 'first' | 'last'): Scroll {
  return at(scroll, end === 'first' ? 0 : scroll.lines);
}

/** The text was laid out anew: for another width, or it is another text. */
export function measured(scroll: Scroll, lines: number, height: number): Scroll {
  return scroll.lines === lines && scroll.height === height ? scroll : at({ ...scroll, lines, height }, scroll.top);
}

function at(scroll: Scroll, top: number): Scroll {
  return { ...scroll, top: Math.max(0, Math.min(top, scroll.lines - scroll.height)) };
}
