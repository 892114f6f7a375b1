import type { Match } from '../text/find.ts';
import type { Style } from '../text/style.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The division of the screen. */
export interface Layout extends Size {
  /** True if the header has a second line for the open place, and an empty line below. */
  readonly spacious: boolean;
  /** The number of rows between header and footer. */
  readonly height: number;
  /** True if the list and the open item are side by side. */
  readonly split: boolean;
  readonly listWidth: number;
  readonly detailWidth: number;
}

const SPLIT_FROM = 100;
const SPACIOUS_FROM = 18;

export function layoutOf({ columns, rows }: Size): Layout {
  const spacious = rows >= SPACIOUS_FROM;
  const split = columns >= SPLIT_FROM;
  const listWidth = split ? listWidthOf(columns) : columns;
  const height = Math.max(1, rows - (spacious ? 5 : 3));
  const detailWidth = split ? columns - listWidth - 1 : columns;
  return { columns, rows, spacious, height, split, listWidth, detailWidth };
}

/** The width of a list that shows a code and thirty characters of a subject, and of a text that can still be read. */
const [FULL_LIST, LEAST_TEXT] = [66, 53];

/** Returns the width of the list beside a text: half of the screen, and more where the list would be too narrow. */
function listWidthOf(columns: number): number {
  const needed = Math.min(FULL_LIST, columns - LEAST_TEXT - 1);
  return Math.max(50, Math.min(96, Math.max(Math.floor(columns * 0.48), needed)));
}

/** The lines of the open text for one layout, and the matches of the search in them. */
export interface OpenTextLines {
  readonly lines: readonly string[];
  readonly matches: readonly Match[];
}

export interface FrameOptions {
  readonly layout: Layout;
  readonly style: Style;
  /** Milliseconds since 1970 by the server's clock. */
  readonly now: number;
  readonly reading: OpenTextLines;
  /** The download directory as the reader sees it. */
  readonly directory: string;
}
