import type { Inbox } from '../../model/inbox.ts';
import type { Match } from '../text/find.ts';
import type { Style } from '../text/style.ts';
import { clip, filled } from '../text/styled.ts';
import { bodyOf } from './body-lines.ts';
import { bottomLines } from './bottom-lines.ts';
import { headerLines } from './header-lines.ts';
import type { Layout } from './layout.ts';

/** The lines of the open text for one layout, and the matches of the search in them. */
export interface Reading {
  readonly lines: readonly string[];
  readonly matches: readonly Match[];
}

export interface FrameOptions {
  readonly layout: Layout;
  readonly style: Style;
  /** Milliseconds since 1970 by the server's clock. */
  readonly now: number;
  readonly reading: Reading;
  /** The download directory as the reader sees it. */
  readonly directory: string;
}

/** Returns the lines of the whole screen: one for each row, and none wider than the screen. */
export function frameOf(inbox: Inbox, options: FrameOptions): string[] {
  const { layout, style } = options;
  const { columns, rows, height, listWidth, detailWidth } = layout;
  const top = headerLines(inbox, layout, style);
  const bottom = bottomLines(inbox, layout, style);
  const { left, right } = bodyOf(inbox, options);
  // A long notice covers the last lines of the body.
  const room = Math.max(0, Math.min(height, rows - top.length - bottom.length));
  const body = Array.from({ length: room }, (_, at) =>
    right === null
      ? (left[at] ?? '')
      : `${filled(left[at] ?? '', listWidth)}${style.dim('│')}${clip(right[at] ?? '', detailWidth)}`,
  );
  return [...top, ...body, ...bottom].slice(0, rows).map((line) => clip(line, columns));
}
