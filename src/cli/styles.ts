/** Styles a text. */
export type Paint = (text: string) => string;

export interface Styles {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

/**
 * Returns the terminal styles. They are plain if the output is no terminal, or if NO_COLOR or TERM=dumb is set.
 * FORCE_COLOR overrides all of these except NO_COLOR.
 */
export function styles(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Styles {
  const force = env['FORCE_COLOR'] ?? '';
  const wanted = force === '' ? isTerminal && env['TERM'] !== 'dumb' : force !== '0';
  const coloured = wanted && !env['NO_COLOR'];
  const style =
    (open: number, close: number): Paint =>
    (text) =>
      coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) };
}

/** Returns the styles of standard output. */
export function outputStyles(): Styles {
  return styles(process.stdout.isTTY, process.env);
}
