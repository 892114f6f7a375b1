import { stripVTControlCharacters } from 'node:util';
import { cut, widthOf } from '../../../src/text/width.ts';

/** The styles of a text. Each returns plain text if the terminal or its user wants no styles. */
export interface Style {
  readonly bold: Paint;
  readonly italic: Paint;
  readonly dim: Paint;
  /** The only accent colour. */
  readonly accent: Paint;
  readonly bad: Paint;
  /** The style of the selected row. Without colours it is inverse. */
  readonly selected: Paint;
}

export type Paint = (text: string) => string;

/** `colour` allows all styles. `plain` allows bold and inverse, as NO_COLOR requires. `none` allows no styles. */
export type StylePalette = 'colour' | 'plain' | 'none';

/**
 * Chooses the palette from the environment. NO_COLOR and FORCE_COLOR=0 remove colours, another FORCE_COLOR keeps them,
 * and a dumb terminal gets `none`.
 */
export function paletteOf(env: Readonly<Record<string, string | undefined>>): StylePalette {
  if (env['NO_COLOR']) return 'plain';
  const force = env['FORCE_COLOR'] ?? '';
  if (force !== '') return force === '0' || force === 'false' ? 'plain' : 'colour';
  return env['TERM'] === 'dumb' ? 'none' : 'colour';
}

export function createStyle(palette: StylePalette): Style {
  const sgr =
    (open: string, close: string): Paint =>
    (text) =>
      text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`;
  const plain: Paint = (text) => text;
  if (palette === 'none') return { bold: plain, italic: plain, dim: plain, accent: plain, bad: plain, selected: plain };
  const bold = sgr('1', '22');
  const italic = sgr('3', '23');
  if (palette === 'plain') return { bold, italic, dim: plain, accent: plain, bad: bold, selected: sgr('7', '27') };
  return {
    bold,
    italic,
    dim: sgr('90', '39'),
    accent: sgr('36', '39'),
    bad: sgr('31', '39'),
    selected: sgr('7', '27'),
  };
}

// Lines that contain escape sequences for styles are measured and cut by what the reader sees of them.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match our own escape sequences
const STYLES = /(\u001b\[[0-9;]*m)/;
export function unstyled(line: string): string {
  return stripVTControlCharacters(line);
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
