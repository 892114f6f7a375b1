import type { Match } from '../text/find.ts';
import type { Style } from '../text/style.ts';
import type { Layout } from './layout.ts';

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
