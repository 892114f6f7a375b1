import { parseArgs } from 'node:util';
import { OPTIONS } from '../config/options.ts';

/** Flags by option name; what was not given is not there. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * The flags of a `mailcap dev` that needs no explaining, null for any other command line: yargs sees to that one.
 * It takes longer to load than everything else of the command line does.
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
