/** Styles a text. */
export type PaintText = (text: string) => string;

export interface TerminalStyles {
  readonly bold: PaintText;
  readonly dim: PaintText;
  readonly red: PaintText;
  readonly green: PaintText;
  readonly yellow: PaintText;
}

/**
 * Returns the terminal styles. They are plain if the output is no terminal, or if NO_COLOR or TERM=dumb is set.
 * FORCE_COLOR overrides all of these except NO_COLOR.
 */
export function styles(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): TerminalStyles {
  const force = env['FORCE_COLOR'] ?? '';
  const wanted = force === '' ? isTerminal && env['TERM'] !== 'dumb' : force !== '0';
  const coloured = wanted && !env['NO_COLOR'];
  const style =
    (open: number, close: number): PaintText =>
    (text) =>
      coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) };
}

/** Returns the styles of standard output. */
export function outputStyles(): TerminalStyles {
  return styles(process.stdout.isTTY, process.env);
}
