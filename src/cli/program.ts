import yargs, { type Options } from 'yargs';
import { OPTIONS } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import { nearest } from '../text/nearest.ts';
import { VERSION } from '../version.ts';
import {
  Arguments,
  type CliOption,
  type Command,
  type Commands,
  type Flags,
  type OptionTable,
  optionsOf,
} from './command.ts';
import { commandHelp, groupHelp, operandsOf, topHelp } from './help.ts';
import { MAIL_COMMANDS } from './mail/commands.ts';
import { endQuietlyWithReader, printText } from './output.ts';
import { SERVER_COMMANDS } from './server/commands.ts';
import { OUTGOING_COMMANDS, TOOL_COMMANDS } from './tools/commands.ts';

/** Every command, in the order of the help page. */
export const COMMANDS: Commands = { ...SERVER_COMMANDS, ...MAIL_COMMANDS, ...TOOL_COMMANDS, ...OUTGOING_COMMANDS };

/** Runs any command line and returns its exit code. Throws a {@link ConfigError} for an invalid one. */
export async function runCommand(args: readonly string[]): Promise<number> {
  endQuietlyWithReader();
  const [first, ...others] = args;
  if (first === 'help') return runCommand(others.length === 0 ? ['--help'] : [...others.filter(isWord), '--help']);
  if (first === 'version' && others.length === 0) return runCommand(['--version']);
  const name = nameIn(args);
  if (name === null) return withoutCommand(args);
  const command = COMMANDS[name];
  if (command === undefined) return ofGroup(name, args.slice(1));
  const rest = args.slice(name.split(' ').length);
  if (command.isRaw) return command.run(new Arguments({}, rest), COMMANDS);
  const { normalize = (typed: string) => typed } = command;
  const { flags, operands } = parse(optionsOf(command), rest.map(normalize), name);
  if (flags['help'] || flags['version']) return tell(flags, commandHelp(name, command, optionsOf(command)));
  checkOperands(name, command, operands);
  // The commands that start a server check all options together, with those of variables and the config file.
  if (command.options !== OPTIONS) new Arguments(flags, []).oneOf('logLevel', OPTIONS.logLevel.type.oneOf, 'warn');
  try {
    return await command.run(new Arguments(flags, operands), COMMANDS);
  } catch (error) {
    // A page of help needs no server.
    throw (await import('./connect.ts')).asUserError(error, new Arguments(flags, operands));
  }
}

/**
 * Returns the name of the command: `messages wait` for `messages wait --code`, `messages` if no known word follows;
 * null if there is none.
 */
function nameIn([first, second]: readonly string[]): string | null {
  if (first === undefined || first.startsWith('-')) return null;
  const both = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, both)) return both;
  if (Object.hasOwn(COMMANDS, first) || isGroup(first)) return first;
  const names = [...new Set(Object.keys(COMMANDS).map((name) => name.split(' ')[0] ?? name))];
  throw new ConfigError(`${first}: no such command${meant(nearest(first, names))}`);
}

/** Tells whether an argument is no option. `mailcap help messages list --json` shows the page of `messages list`. */
function isWord(arg: string): boolean {
  return !arg.startsWith('-');
}

function isGroup(first: string): boolean {
  return Object.keys(COMMANDS).some((name) => name.startsWith(`${first} `));
}

function ofGroup(group: string, rest: readonly string[]): number {
  const subcommands = Object.keys(COMMANDS).flatMap((name) =>
    name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [],
  );
  const [second] = rest;
  if (second !== undefined && !second.startsWith('-'))
    throw new ConfigError(`${group} ${second}: no such command${meant(nearest(second, subcommands), group)}`);
  const { flags } = parse({}, rest, group);
  if (flags['help'] || flags['version']) return tell(flags, groupHelp(group, COMMANDS));
  throw new ConfigError(`the command is incomplete: mailcap ${group} ${subcommands.join('|')}.`);
}

function meant(near: string | null, group?: string): string {
  const typed = group === undefined ? near : `${group} ${near}`;
  return near === null ? '; mailcap --help shows them all.' : `; did you mean ${typed}?`;
}

function withoutCommand(args: readonly string[]): number {
  const { flags } = parse({}, args, '');
  if (flags['help'] || flags['version']) return tell(flags, topHelp(COMMANDS));
  throw new ConfigError(
    'no command was given: `mailcap dev` starts a server, and `mailcap --help` shows every command.',
  );
}

/** Prints the answer to --version or --help. */
function tell(flags: Flags, help: string): 0 {
  printText(flags['version'] ? `${VERSION}\n` : help);
  return 0;
}

interface Parsed {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/** Parses the arguments. `name` is that of the command, for its help page. */
function parse(table: OptionTable, args: readonly string[], name: string): Parsed {
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
        ? new ConfigError(plainly(message, args, table, name))
        : error;
    })
    .parseSync();
  const named = Object.entries(table).flatMap(([name, option]) => {
    const value = typedValue(option, parsed[option.flag], args);
    return value === undefined ? [] : [[name, value]];
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

function checkOperands(name: string, { operands = [] }: Command, given: readonly string[]): void {
  const missing = operands.find(({ required }, at) => required && given[at] === undefined);
  if (missing !== undefined) {
    throw new ConfigError(`<${missing.name}> is missing: mailcap ${operandsOf(name, operands)}.`);
  }
  const surplus = operands.some(({ many }) => many) ? undefined : given[operands.length];
  if (surplus !== undefined)
    throw new ConfigError(`${surplus}: unexpected argument; mailcap ${name} --help shows the usage.`);
}

/** Returns the message of yargs, with arguments as the user typed them. */
function plainly(message: string, args: readonly string[], table: OptionTable, name: string): string {
  const [, first] = /^(?:Unknown arguments?|Not enough arguments following): ([^\s,]+)/.exec(message) ?? [];
  if (first === undefined) return `${message}.`;
  const typed = args.find((arg) => arg.split('=')[0]?.replace(/^-+/, '') === first)?.split('=')[0] ?? first;
  if (message.startsWith('Not enough')) return `${typed}: expected a value.`;
  if (name === '' && isFlagOfACommand(first))
    return `${typed}: options come after the command; mailcap --help shows the commands.`;
  const near = nearest(first, ['help', 'version', ...Object.values(table).map(({ flag }) => flag)]);
  return `${typed}: no such option; ${near === null ? `${['mailcap', name, '--help'].filter((word) => word !== '').join(' ')} shows them.` : `did you mean --${near}?`}`;
}

function isFlagOfACommand(flag: string): boolean {
  return Object.values(COMMANDS).some((command) =>
    Object.values(optionsOf(command)).some((option) => option.flag === flag),
  );
}
