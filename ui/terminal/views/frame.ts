import type { Inbox } from '../model/inbox.ts';
import { clip, filled } from '../text/styled.ts';
import { openBody } from './body-lines.ts';
import { bottomLines } from './bottom-lines.ts';
import { headerLines } from './header-lines.ts';
import type { FrameOptions } from './layout.ts';

/** Returns the lines of the whole screen: one for each row, and none wider than the screen. */
export function frameOf(inbox: Inbox, options: FrameOptions): string[] {
  const { layout, style } = options;
  const { columns, rows, height, listWidth, detailWidth } = layout;
  const top = headerLines(inbox, layout, style);
  const bottom = bottomLines(inbox, layout, style);
  const { left, right } = openBody(inbox, options);
  // A long notice covers the last lines of the body.
  const room = Math.max(0, Math.min(height, rows - top.length - bottom.length));
  const body = Array.from({ length: room }, (_, at) =>
    right === null
      ? (left[at] ?? '')
      : `${filled(left[at] ?? '', listWidth)}${style.dim('│')}${clip(right[at] ?? '', detailWidth)}`,
  );
  return [...top, ...body, ...bottom].slice(0, rows).map((line) => clip(line, columns));
}
