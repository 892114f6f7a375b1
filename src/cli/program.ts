import { flagOf } from '../config/options.ts';
import { ConfigError, UserError } from '../config/user-error.ts';
import { nearest } from '../text/nearest.ts';
import { VERSION } from '../version.ts';
import { Arguments, type Command, type Commands, type Flags, isServer, optionsOf } from './command.ts';
import { commandHelp, groupHelp, operandsOf, topHelp } from './help.ts';
import { MAIL_COMMANDS } from './mail/commands.ts';
import { endQuietlyWithReader, printText } from './output.ts';
import { checkValues, parse } from './parse.ts';
import { SERVER_COMMANDS } from './server/commands.ts';
import { OUTGOING_COMMANDS, TOOL_COMMANDS } from './tools/commands.ts';

export const COMMAND_GROUPS: Readonly<Record<string, Commands>> = {
  Server: SERVER_COMMANDS,
  Mail: MAIL_COMMANDS,
  Other: { ...TOOL_COMMANDS, ...OUTGOING_COMMANDS },
};

export const COMMANDS: Commands = Object.assign({}, ...Object.values(COMMAND_GROUPS));

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
  const { [rest[0] ?? '']: one } = (await command.each?.()) ?? {};
  return one === undefined ? runOne(name, command, rest) : runOne(`${name} ${rest[0]}`, one, rest.slice(1));
}

/** Runs a command. `rest` are the arguments after its name. */
async function runOne(name: string, command: Command, rest: readonly string[]): Promise<number> {
  if (command.isRaw) return command.run(new Arguments({}, rest), COMMANDS);
  const { normalize = (typed: string) => typed } = command;
  const { flags, operands } = await parse(optionsOf(command), rest.map(normalize), name, isFlagOfACommand);
  if (flags['help'] || flags['version']) return tell(flags, commandHelp(name, command, optionsOf(command)));
  checkOperands(name, command, operands);
  // The commands that start a server check all options together, with those of variables and the config file.
  if (!isServer(command)) checkValues(optionsOf(command), flags);
  const args = new Arguments(flags, operands);
  try {
    return await command.run(args, COMMANDS);
  } catch (error) {
    // A page of help needs no server.
    const told = (await import('./connect.ts')).asUserError(error, args);
    if (told instanceof UserError || isServer(command)) throw told;
    throw (await (await import('./health.ts')).notMailcap(args)) ?? told;
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

async function ofGroup(group: string, rest: readonly string[]): Promise<number> {
  const subcommands = Object.keys(COMMANDS).flatMap((name) =>
    name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [],
  );
  const [second] = rest;
  if (second !== undefined && !second.startsWith('-'))
    throw new ConfigError(`${group} ${second}: no such command${meant(nearest(second, subcommands), group)}`);
  const { flags } = await parse({}, rest, group, isFlagOfACommand);
  if (flags['help'] || flags['version']) return tell(flags, groupHelp(group, COMMANDS));
  throw new ConfigError(`the command is incomplete: mailcap ${group} ${subcommands.join('|')}.`);
}

function meant(near: string | null, group?: string): string {
  const typed = group === undefined ? near : `${group} ${near}`;
  return near === null ? '; mailcap --help shows them all.' : `; did you mean ${typed}?`;
}

async function withoutCommand(args: readonly string[]): Promise<number> {
  const { flags } = await parse({}, args, '', isFlagOfACommand);
  if (flags['help'] || flags['version']) return tell(flags, topHelp(COMMAND_GROUPS));
  throw new ConfigError(
    'no command was given: `mailcap dev` starts a server, and `mailcap --help` shows every command.',
  );
}

/** Prints the answer to --version or --help. */
function tell(flags: Flags, help: string): 0 {
  printText(flags['version'] ? `${VERSION}\n` : help);
  return 0;
}

function checkOperands(name: string, { operands = [] }: Command, given: readonly string[]): void {
  const missing = operands.find(({ required }, at) => required && given[at] === undefined);
  if (missing !== undefined) {
    // The dots of an operand that repeats end the sentence too.
    const usage = `mailcap ${operandsOf(name, operands)}`;
    throw new ConfigError(`<${missing.name}> is missing: ${usage}${usage.endsWith('...') ? '' : '.'}`);
  }
  const surplus = operands.some(({ many }) => many) ? undefined : given[operands.length];
  if (surplus !== undefined)
    throw new ConfigError(`${surplus}: unexpected argument; mailcap ${name} --help shows the usage.`);
}

function isFlagOfACommand(flag: string): boolean {
  return Object.values(COMMANDS).some((command) =>
    Object.keys(optionsOf(command)).some((name) => flagOf(name) === flag),
  );
}
