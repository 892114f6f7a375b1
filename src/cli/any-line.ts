import yargs, { type Options } from 'yargs';
import { flagOf } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import { nearest } from '../text/nearest.ts';
import type { CliOption, OptionTable, ParsedLine } from './command.ts';

/** Does what `parse` does, for any line. */
export function readAnyLine(
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
  const named = Object.entries(table).flatMap(([key, { type }]) => {
    const flag = flagOf(key);
    const value = typedValue(flag, type, parsed[flag], args);
    return value === undefined ? [] : [[key, value]];
  });
  const asked = { help: parsed['help'], version: parsed['version'] };
  return { flags: { ...Object.fromEntries(named), ...asked }, operands: parsed._.map(String) };
}

function yargsOptions(table: OptionTable): Record<string, Options> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { type }]): [string, Options] => [
      flagOf(name),
      // The option table parses all values, whatever their source is.
      type === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: type !== 'optional' },
    ]),
  );
}

/** Returns the typed value of a boolean option, because yargs accepts any text after --json= as a boolean. */
function typedValue(flag: string, type: CliOption['type'], given: unknown, args: readonly string[]): unknown {
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
  const near = nearest(first, ['help', 'version', ...Object.keys(table).map(flagOf)]);
  const page = ['mailcap', name, '--help'].filter((word) => word !== '').join(' ');
  return `${typed}: no such option; ${near === null ? `${page} shows them.` : `did you mean --${near}?`}`;
}
