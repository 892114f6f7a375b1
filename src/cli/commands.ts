import yargs, { type Options } from 'yargs';
import { OPTIONS } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import { VERSION } from '../version.ts';
import type { Flags } from './dev-flags.ts';
import { HEALTH_OPTIONS } from './health-options.ts';
import { commandHelp, type OptionTable, topHelp } from './help.ts';
import { INBOX_OPTIONS } from './inbox-options.ts';

/** A command as data. Its code is loaded when it runs. */
interface Command {
  readonly summary: string;
  readonly options: OptionTable;
  run(flags: Flags): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  dev: {
    summary: 'Start a server',
    options: OPTIONS,
    run: async (flags) => (await import('./dev.ts')).dev(flags),
  },
  inbox: {
    summary: 'Read the mail of a running server on the terminal',
    options: INBOX_OPTIONS,
    run: async (flags) => (await import('./inbox.ts')).inbox(flags),
  },
  health: {
    summary: 'Ask the running server whether it is up',
    options: HEALTH_OPTIONS,
    run: async (flags) => (await import('./health.ts')).health(flags),
  },
};

/** Runs any command line; the exit code. Throws {@link ConfigError} for one it does not understand. */
export async function runCommand(args: readonly string[]): Promise<number> {
  let code: number | null = null;
  const program = yargs([...args])
    .locale('en')
    .exitProcess(false)
    .help(false)
    .version(false)
    .strict()
    .parserConfiguration({
      'boolean-negation': true,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
    })
    .options({ help: { type: 'boolean', alias: 'h' }, version: { type: 'boolean', alias: 'v' } })
    .fail((message, error) => {
      // What yargs does not understand comes as a YError, or as a message alone.
      throw error === undefined || error.name === 'YError' ? new ConfigError(plainly(message, args)) : error;
    });
  for (const [name, command] of Object.entries(COMMANDS)) {
    program.command(
      name,
      command.summary,
      (builder) => builder.options(yargsOptions(command.options)),
      async (flags) => {
        code = asked(flags, commandHelp(name, command.summary, command.options));
        code ??= await command.run(named(command.options, flags, args));
      },
    );
  }
  const flags = await program.parseAsync();
  code ??= asked(flags, topHelp(COMMANDS));
  if (code !== null) return code;
  throw new ConfigError(`say what to do: ${Object.keys(COMMANDS).join(' or ')}. mailcap --help tells more.`);
}

/** What --version and --help ask for; null where neither was given. */
function asked(flags: Flags, help: string): 0 | null {
  if (!flags['version'] && !flags['help']) return null;
  process.stdout.write(flags['version'] ? `${VERSION}\n` : help);
  return 0;
}

function yargsOptions(table: OptionTable): Record<string, Options> {
  return Object.fromEntries(
    Object.values(table).map(({ flag, type }): [string, Options] => [
      flag,
      // Values are read in one place, by the table, whatever source they come from.
      type === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: true },
    ]),
  );
}

function named(table: OptionTable, flags: Flags, args: readonly string[]): Flags {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { flag, type }]) => {
      // yargs takes any text after --json= for a yes or a no.
      const typed = type === 'boolean' ? args.findLast((arg) => arg.startsWith(`--${flag}=`)) : undefined;
      const value = typed === undefined ? flags[flag] : typed.slice(`--${flag}=`.length);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The sentence of yargs, with what was typed as it was typed. */
function plainly(message: string, args: readonly string[]): string {
  const [, name] = /^(?:Unknown argument|Not enough arguments following): (\S+)$/.exec(message) ?? [];
  if (name === undefined) return `${message}.`;
  const typed = args.find((arg) => arg.split('=')[0]?.replace(/^-+/, '') === name)?.split('=')[0] ?? name;
  if (message.startsWith('Not enough')) return `${typed}: expected a value.`;
  if (!typed.startsWith('-')) return `${typed}: no such command; there are ${Object.keys(COMMANDS).join(' and ')}.`;
  return `${typed}: no such option; mailcap <command> --help shows them.`;
}
