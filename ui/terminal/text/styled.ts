import { cut, widthOf } from '../../../src/text/width.ts';

// Functions for lines that contain escape sequences for styles.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match our own escape sequences
const STYLES = /(\u001b\[[0-9;]*m)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match our own escape sequences
const ALL_STYLES = /\u001b\[[0-9;]*m/g;

export function unstyled(line: string): string {
  return line.replace(ALL_STYLES, '');
}

/** Returns the width of a styled line in columns. */
export function styledWidth(line: string): number {
  return widthOf(unstyled(line));
}

/** Cuts a styled line to `width` columns. A cut line ends with an ellipsis, and no colour continues after it. */
export function clip(line: string, width: number): string {
  if (styledWidth(line) <= width) return line;
  let shown = '';
  let room = width;
  for (const piece of line.split(STYLES)) {
    // Escape sequences after the cut are kept, because they end colours.
    if (piece.startsWith('\u001b')) shown += piece;
    else if (room > 0) {
      const wide = widthOf(piece);
      // A piece that fits exactly must end with the ellipsis too, if more text follows.
      const kept = wide < room ? piece : cut(`${piece} `, room);
      shown += kept;
      room -= widthOf(kept);
    }
  }
  return shown;
}

/** Cuts or pads a styled line to exactly `width` columns. */
export function filled(line: string, width: number): string {
  const shown = clip(line, width);
  return shown + ' '.repeat(Math.max(0, width - styledWidth(shown)));
}
