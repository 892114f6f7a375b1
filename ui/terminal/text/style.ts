/** Ways to set off a text. Each gives back plain text where the terminal or its user wants none. */
export interface Style {
  readonly bold: Paint;
  readonly italic: Paint;
  readonly dim: Paint;
  /** The one colour. */
  readonly accent: Paint;
  readonly bad: Paint;
  /** The row that is selected. Without colours it is inverse. */
  readonly selected: Paint;
}

export type Paint = (text: string) => string;

/** `colour`: colours and all; `plain`: bold and inverse alone, as NO_COLOR asks for; `none`: text. */
export type Palette = 'colour' | 'plain' | 'none';

/** NO_COLOR takes the colours away, FORCE_COLOR=0 too; where nothing can be set off at all, `none`. */
export function paletteOf(env: Readonly<Record<string, string | undefined>>): Palette {
  if (env['NO_COLOR']) return 'plain';
  const force = env['FORCE_COLOR'] ?? '';
  if (force !== '') return force === '0' || force === 'false' ? 'plain' : 'colour';
  return env['TERM'] === 'dumb' ? 'none' : 'colour';
}

export function createStyle(palette: Palette): Style {
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
