import { cut, widthOf } from './width.ts';

// Lines that are painted already.

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of our own making
const STYLES = /(\u001b\[[0-9;]*m)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const ALL_STYLES = /\u001b\[[0-9;]*m/g;

export function unstyled(line: string): string {
  return line.replace(ALL_STYLES, '');
}

/** Columns of a painted line. */
export function styledWidth(line: string): number {
  return widthOf(unstyled(line));
}

/** At most `width` columns of a painted line: what is cut off is told by an ellipsis, and no colour runs on. */
export function clip(line: string, width: number): string {
  if (styledWidth(line) <= width) return line;
  let shown = '';
  let room = width;
  for (const piece of line.split(STYLES)) {
    // Also after the cut: what ends a colour comes there.
    if (piece.startsWith('\u001b')) shown += piece;
    else if (room > 0) {
      const wide = widthOf(piece);
      // What fits exactly may be followed by more.
      const kept = wide < room ? piece : cut(`${piece} `, room);
      shown += kept;
      room -= widthOf(kept);
    }
  }
  return shown;
}

/** Exactly `width` columns of a painted line. */
export function filled(line: string, width: number): string {
  const shown = clip(line, width);
  return shown + ' '.repeat(Math.max(0, width - styledWidth(shown)));
}
