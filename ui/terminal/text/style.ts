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
