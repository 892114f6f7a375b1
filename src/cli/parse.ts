import yargs, { type Options } from 'yargs';
import { ConfigError } from '../config/user-error.ts';
import { nearest } from '../text/nearest.ts';
import { Arguments, type CliOption, type Flags, type OptionTable } from './command.ts';

/** A command line that was read: its options by the names of the table, and what stands beside them. */
export interface ParsedLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/**
 * Parses the arguments of a command. `name` is that of the command, for its help page; `isElsewhere` tells whether
 * another command has an option. Throws a {@link ConfigError} for an unknown option, and for one without its value.
 */
export function parse(
  table: OptionTable,
  args: readonly string[],
  name: string,
  isElsewhere: (flag: string) => boolean,
): ParsedLine {
  const parsed = yargs([...args])
    .locale('en')
    .exitProcess(false)
    .help(false)
    .version(false)
    .strictOptions()
    .parserConfiguration({
      'boolean-negation': true,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .options({ help: { type: 'boolean', alias: 'h' }, version: { type: 'boolean', alias: ['v', 'V'] } })
    .options(yargsOptions(table))
    .fail((message, error) => {
      // yargs reports an invalid command line as a YError, or as a message alone.
      throw error === undefined || error.name === 'YError'
        ? new ConfigError(plainly(message, { args, table, name, isElsewhere }))
        : error;
    })
    .parseSync();
  const named = Object.entries(table).flatMap(([key, option]) => {
    const value = typedValue(option, parsed[option.flag], args);
    return value === undefined ? [] : [[key, value]];
  });
  const asked = { help: parsed['help'], version: parsed['version'] };
  return { flags: { ...Object.fromEntries(named), ...asked }, operands: parsed._.map(String) };
}

function yargsOptions(table: OptionTable): Record<string, Options> {
  return Object.fromEntries(
    Object.values(table).map(({ flag, type }): [string, Options] => [
      flag,
      // The option table parses all values, whatever their source is.
      type === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: type !== 'optional' },
    ]),
  );
}

/** Returns the typed value of a boolean option, because yargs accepts any text after --json= as a boolean. */
function typedValue({ flag, type }: CliOption, given: unknown, args: readonly string[]): unknown {
  // Only an option of texts may be given more than once. The last value of any other one counts.
  if (type === 'texts') return given === undefined ? undefined : [given].flat();
  const parsed: unknown = Array.isArray(given) ? given.at(-1) : given;
  const typed = type === 'boolean' ? args.findLast((arg) => arg.startsWith(`--${flag}=`)) : undefined;
  return typed === undefined ? parsed : typed.slice(`--${flag}=`.length);
}

interface TypedLine {
  readonly args: readonly string[];
  readonly table: OptionTable;
  readonly name: string;
  isElsewhere(flag: string): boolean;
}

/** Returns the message of yargs, with arguments as the user typed them. */
function plainly(message: string, { args, table, name, isElsewhere }: TypedLine): string {
  const [, first] = /^(?:Unknown arguments?|Not enough arguments following): ([^\s,]+)/.exec(message) ?? [];
  if (first === undefined) return `${message}.`;
  // yargs reads --no-color as a color that is off.
  const typed =
    args.find((arg) => [first, `no-${first}`].includes(arg.split('=')[0]?.replace(/^-+/, '') ?? ''))?.split('=')[0] ??
    first;
  if (message.startsWith('Not enough')) return `${typed}: expected a value.`;
  if (name === '' && isElsewhere(first))
    return `${typed}: options come after the command; mailcap --help shows the commands.`;
  const near = nearest(first, ['help', 'version', ...Object.values(table).map(({ flag }) => flag)]);
  const page = ['mailcap', name, '--help'].filter((word) => word !== '').join(' ');
  return `${typed}: no such option; ${near === null ? `${page} shows them.` : `did you mean --${near}?`}`;
}

/** Throws a {@link ConfigError} for a value that its option can't have, before a command does anything. */
export function checkValues(table: OptionTable, flags: Flags): void {
  const args = new Arguments(flags, []);
  for (const [key, { type, flag }] of Object.entries(table)) {
    if (!args.isGiven(key)) continue;
    if (type === 'boolean') args.isOn(key, flag);
    else if (type === 'count') args.count(key);
    else if (type === 'seconds') args.seconds(key);
    else if (typeof type === 'object') args.oneOf(key, type.oneOf, type.oneOf[0] ?? '');
    else if (type === 'port' && !isPort(args.value(key) ?? ''))
      throw new ConfigError(`--${flag}: expected a port, 0 to 65535, got ${JSON.stringify(args.value(key))}.`);
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}
