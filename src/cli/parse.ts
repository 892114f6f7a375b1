import { flagOf } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import { Arguments, type Flags, type OptionTable, type ParsedLine } from './command.ts';

/**
 * Parses the arguments of a command. `name` is that of the command, for its help page; `isElsewhere` tells whether
 * another command has an option. Throws a {@link ConfigError} for an unknown option, and for one without its value.
 */
export async function parse(
  table: OptionTable,
  args: readonly string[],
  name: string,
  isElsewhere: (flag: string) => boolean,
): Promise<ParsedLine> {
  return plainLine(table, args) ?? (await import('./any-line.ts')).readAnyLine(table, args, name, isElsewhere);
}

const ASKED = new Map(
  Object.entries({ '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version', '-V': 'version' }),
);

/**
 * Parses a line of plain options and words as yargs does, which takes as long to load as a command to run. Returns null
 * for any other line.
 */
export function plainLine(table: OptionTable, args: readonly string[]): ParsedLine | null {
  const options = new Map(Object.entries(table).map(([key, option]) => [`--${flagOf(key)}`, { ...option, key }]));
  const flags: Record<string, unknown> = {};
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    // yargs removes quotes around a text.
    if (/^['"]/.test(arg)) return null;
    if (!arg.startsWith('-')) {
      operands.push(arg);
      continue;
    }
    const [, typed = arg, equal] = /^(--[^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const next = args[at + 1];
    const option = options.get(typed);
    const key = option?.key ?? ASKED.get(typed);
    if (key === undefined || typed.startsWith('--no-') || (key in flags && option?.type !== 'texts')) return null;
    if (option === undefined || option.type === 'boolean') {
      if (equal !== undefined || next === 'true' || next === 'false') return null;
      flags[key] = true;
      continue;
    }
    const value = equal ?? next;
    const isMissing =
      option.type === 'optional' && (value === undefined || (equal === undefined && /^--?[a-z]/.test(value)));
    if (!isMissing && (value === undefined || value === '' || /^['"-]/.test(value))) return null;
    flags[key] = option.type === 'texts' ? [...[flags[key] ?? []].flat(), value] : isMissing ? '' : value;
    if (equal === undefined && !isMissing) at += 1;
  }
  return { flags, operands };
}

/** Throws a {@link ConfigError} for a value that its option can't have, before a command does anything. */
export function checkValues(table: OptionTable, flags: Flags): void {
  const args = new Arguments(flags, []);
  for (const [key, { type }] of Object.entries(table)) {
    if (!args.isGiven(key)) continue;
    if (type === 'boolean') args.isOn(key);
    else if (type === 'count') args.count(key);
    else if (type === 'seconds') args.seconds(key);
    else if (typeof type === 'object') args.oneOf(key, type.oneOf, type.oneOf[0] ?? '');
    else if (type === 'port' && !isPort(args.value(key) ?? ''))
      throw new ConfigError(`--${flagOf(key)}: expected a port, 0 to 65535, got ${JSON.stringify(args.value(key))}.`);
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}
