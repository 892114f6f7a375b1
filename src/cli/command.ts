import { OPTIONS, type Option } from '../config/options.ts';
import type { Arguments } from './arguments.ts';

/** An option of a command. An option of the server can be used as it is. */
export interface CliOption extends Omit<Option, 'type'> {
  readonly type: Option['type'] | 'seconds' | 'count' | 'optional' | 'texts';
  /** The placeholder of its value on the help page. */
  readonly value?: string;
}

export type OptionTable = Readonly<Record<string, CliOption>>;

/** An argument without a flag, such as `<id>` in `messages show <id>`. */
export interface Operand {
  readonly name: string;
  readonly required: boolean;
  /** `true` if it takes all arguments that follow. */
  readonly many?: boolean;
}

export type GroupName = 'Server' | 'Mail' | 'Other';

/**
 * A command as data. Help, shell completion and the README's table are built from it. Its code is loaded when it runs.
 */
export interface Command {
  readonly group: GroupName;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly options: OptionTable;
  /** Rewrites one argument. It is called for each argument before they are parsed. */
  readonly normalize?: (typed: string) => string;
  /** The first word of the command whose line on the program's help page also names this command. */
  readonly besides?: string;
  /** Further lines of its help page, 76 columns each at most. */
  readonly notes?: readonly string[];
  /** Example command lines without the leading `mailcap`. */
  readonly examples: readonly string[];
  /** `true` if the command talks to a server, so that it takes the options that name one. */
  readonly isClient?: boolean;
  /**
   * `true` if the command parses its arguments itself. It gets them as operands, because their syntax is that of
   * another program.
   */
  readonly isRaw?: boolean;
  /** Runs the command and returns its exit code. `all` are all commands. */
  run(args: Arguments, all: Commands): Promise<number>;
}

/** The commands by their words: `dev`, `messages wait`. */
export type Commands = Readonly<Record<string, Command>>;

/** The exit codes. `bug` means an unexpected error (EX_SOFTWARE of sysexits.h). */
export const EXIT = { done: 0, failed: 1, misuse: 2, timedOut: 3, unreachable: 4, bug: 70, interrupted: 130 } as const;

/** The options that name the server of a command and the format of its output. */
export const CLIENT_OPTIONS = {
  url: { flag: 'url', type: 'string', default: null, help: 'URL of the server; also MAILCAP_URL' },
  apiKey: { flag: 'api-key', type: 'string', default: null, help: 'Its API key; also MAILCAP_API_KEY' },
  dataDir: { ...OPTIONS.dataDir, help: 'Its data directory, if it runs here' },
  json: { flag: 'json', type: 'boolean', default: false, help: 'Print JSON for programs' },
} as const satisfies OptionTable;

/** The options of every command except `dev`, which has its own. */
export const COMMON_OPTIONS = {
  json: CLIENT_OPTIONS.json,
  logLevel: { ...OPTIONS.logLevel, default: null, help: 'debug: print the stack of an error' },
} as const satisfies OptionTable;

export const MAILBOX_OPTION = {
  flag: 'mailbox',
  type: 'string',
  value: '<mailbox>',
  default: null,
  help: 'Id or subdomain; else the inbox mailbox',
} as const;

/**
 * The output for an AI agent. It marks the text of a mail, which an agent may mistake for an instruction of its user.
 */
export const AGENT_OPTION = {
  flag: 'agent',
  type: 'boolean',
  default: false,
  help: 'JSON for AI agents, with untrusted text marked',
} as const;

/** The option of every command that deletes or revokes. */
export const YES_OPTION = {
  flag: 'yes',
  type: 'boolean',
  default: false,
  help: 'Do not ask; required without a terminal',
} as const satisfies CliOption;

/** Returns the options of a command: its own, and those that name the server. */
export function optionsOf(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) {
    return command.options;
  }
  return { ...command.options, ...(command.isClient ? CLIENT_OPTIONS : {}), ...COMMON_OPTIONS };
}
