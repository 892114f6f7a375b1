import type { Inbox } from '../../model/inbox.ts';
import type { Match } from '../text/find.ts';
import type { Style } from '../text/style.ts';
import { clip, filled } from '../text/styled.ts';
import { bodyOf } from './body-lines.ts';
import { bottomLines } from './bottom-lines.ts';
import { headerLines } from './header-lines.ts';
import type { Layout } from './layout.ts';

/** What is read, laid out whole for one screen, and where what is looked for stands in it. */
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
  /** Where attachments are saved, as it is told. */
  readonly directory: string;
}

/** The whole screen: exactly as many lines as it has rows, none wider than it. */
export function frameOf(inbox: Inbox, options: FrameOptions): string[] {
  const { layout, style } = options;
  const { columns, rows, height, listWidth, detailWidth } = layout;
  const top = headerLines(inbox, layout, style);
  const bottom = bottomLines(inbox, layout, style);
  const { left, right } = bodyOf(inbox, options);
  // What is said at length lies over the last lines of the body.
  const room = Math.max(0, Math.min(height, rows - top.length - bottom.length));
  const body = Array.from({ length: room }, (_, at) =>
    right === null
      ? (left[at] ?? '')
      : `${filled(left[at] ?? '', listWidth)}${style.dim('│')}${clip(right[at] ?? '', detailWidth)}`,
  );
  return [...top, ...body, ...bottom].slice(0, rows).map((line) => clip(line, columns));
}
