import { parseArgs } from 'node:util';
import { OPTIONS } from '../config/options.ts';

/** The parsed flags by option name. An option that was not given has no entry. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * Parses the flags of a simple `mailcap dev`. Returns null for any other command line, which yargs parses. yargs takes
 * longer to load than the rest of the command line, so the common case avoids it.
 */
export function plainDevFlags(args: readonly string[]): Flags | null {
  if (args[0] !== 'dev') return null;
  const rows = Object.entries(OPTIONS);
  const options = Object.fromEntries(
    rows.map(([, { flag, type }]) => [flag, { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
  );
  try {
    const { values } = parseArgs({ args: args.slice(1), options, allowNegative: true });
    return Object.fromEntries(rows.flatMap(([name, { flag }]) => (flag in values ? [[name, values[flag]]] : [])));
  } catch {
    return null;
  }
}
