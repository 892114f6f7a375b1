import { flagOf, OPTIONS, type Option } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';

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

/**
 * A command as data. Help, shell completion and the README's table are built from it. Its code is loaded when it runs.
 */
export interface Command {
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly options?: OptionTable;
  /** Rewrites one argument. It is called for each argument before they are parsed. */
  readonly normalize?: (typed: string) => string;
  /** The first word of the command whose line on the program's help page also names this command. */
  readonly besides?: string;
  /** Further lines of its help page, 76 columns each at most. */
  readonly notes?: readonly string[];
  /** The page of the documentation that says more, as `mailcap docs` takes it; `cli` if left out. */
  readonly page?: string;
  /** Example command lines without the leading `mailcap`. */
  readonly examples: readonly string[];
  /** `true` if the command talks to no server, so that it does not take the options that name one. */
  readonly isOffline?: boolean;
  /**
   * `true` if the command parses its arguments itself. It gets them as operands, because their syntax is that of
   * another program.
   */
  readonly isRaw?: boolean;
  /**
   * Returns the commands that the next word names, such as the operations of `api`, which are too many to stand in the
   * table. They have the group's help, completion and errors.
   */
  readonly each?: () => Promise<Commands>;
  /** Runs the command and returns its exit code. `all` are all commands. */
  run(args: Arguments, all: Commands): Promise<number>;
}

/** The commands by their words: `dev`, `messages wait`. */
export type Commands = Readonly<Record<string, Command>>;

/** The exit codes. `bug` means an unexpected error (EX_SOFTWARE of sysexits.h). */
export const EXIT = { done: 0, failed: 1, misuse: 2, timedOut: 3, unreachable: 4, bug: 70, interrupted: 130 } as const;

/** The options that name the server of a command and the format of its output. */
export const CLIENT_OPTIONS = {
  url: { type: 'string', help: 'URL of the server; also MAILCAP_URL' },
  apiKey: { type: 'string', help: 'Its API key; also MAILCAP_API_KEY' },
  dataDir: { ...OPTIONS.dataDir, help: 'Its data directory, if it runs here' },
  json: { type: 'boolean', help: 'Print JSON for programs' },
} as const satisfies OptionTable;

/** The options of every command except `dev`, which has its own. */
export const COMMON_OPTIONS = {
  json: CLIENT_OPTIONS.json,
  logLevel: { ...OPTIONS.logLevel, default: null, help: 'debug: print the stack of an error' },
} as const satisfies OptionTable;

export const MAILBOX_OPTION = {
  type: 'string',
  value: '<mailbox>',
  help: 'Id or subdomain; else the inbox mailbox',
} as const;

/**
 * The output for an AI agent. It marks the text of a mail, which an agent may mistake for an instruction of its user.
 */
export const AGENT_OPTION = { type: 'boolean', help: 'JSON for AI agents, with untrusted text marked' } as const;

/** The option of every command that deletes or revokes. */
export const YES_OPTION = {
  type: 'boolean',
  help: 'Do not ask; required without a terminal',
} as const satisfies CliOption;

/** Tells whether a command starts a server, so that it takes the options of the server. */
export function isServer({ options = {} }: Command): boolean {
  return 'smtpPort' in options && 'limits' in options;
}

export const DEV_OPTIONS = {
  ...OPTIONS,
  detach: { type: 'boolean', help: 'Go on in the background, and return when it is ready' },
} as const satisfies OptionTable;

/** Returns the options of a command: its own, and those that name the server. */
export function optionsOf(command: Command): OptionTable {
  const { options = {}, isOffline, isRaw } = command;
  if (isServer(command) || isRaw) return options;
  return { ...options, ...(isOffline ? {} : CLIENT_OPTIONS), ...COMMON_OPTIONS };
}

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/;
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * The arguments after the command: options by their name in the command's table, and operands. Throws a
 * {@link ConfigError} for an invalid value.
 */
export class Arguments {
  readonly flags: Flags;
  readonly operands: readonly string[];

  constructor(flags: Flags, operands: readonly string[]) {
    this.flags = flags;
    this.operands = operands;
  }

  /** Returns the value of an option; null if it was not given or is empty. */
  text(name: string): string | null {
    const value = this.flags[name];
    return typeof value === 'string' && value !== '' ? value : null;
  }

  /** Returns the value of an option, which may be empty, as in `--body ''`; null if it was not given. */
  value(name: string): string | null {
    const value = this.flags[name];
    return typeof value === 'string' ? value : null;
  }

  /** Returns the values of an option that may be given more than once. */
  texts(name: string): readonly string[] {
    const value = this.flags[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Returns the names in an option, which have commas between them; none if it was not given. */
  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  }

  isGiven(name: string): boolean {
    return this.flags[name] !== undefined;
  }

  isOn(name: string): boolean {
    const value = this.flags[name];
    if (value === undefined || typeof value === 'boolean') return value === true;
    if (typeof value === 'string' && /^(true|on|yes|1)$/i.test(value)) return true;
    if (typeof value === 'string' && /^(false|off|no|0)$/i.test(value)) return false;
    throw new ConfigError(`--${flagOf(name)}: expected true or false, got ${JSON.stringify(value)}.`);
  }

  /** Returns a whole number, 0 or more; null if the option was not given. */
  count(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw new ConfigError(`--${flagOf(name)}: expected a whole number, got ${JSON.stringify(value)}.`);
  }

  /**
   * Returns a duration in seconds. It is given as `90`, or with a unit as in `2m`; null if the option was not given.
   */
  seconds(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    const seconds = durationOf(value);
    if (seconds === null) throw new ConfigError(`--${flagOf(name)}: expected seconds, as in 30 or 2m, got ${value}.`);
    return seconds;
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Choice {
    const value = this.text(name);
    if (value === null) return otherwise;
    const choice = choices.find((one) => one === value);
    if (choice === undefined)
      throw new ConfigError(`--${flagOf(name)}: expected one of ${choices.join(', ')}, got ${value}.`);
    return choice;
  }

  operand(at = 0): string | null {
    return this.operands[at] ?? null;
  }
}

/** Converts `90`, `1.5s` or `2m` to seconds; null for anything else. */
export function durationOf(text: string): number | null {
  const [, number, unit = 's'] = DURATION.exec(text.trim()) ?? [];
  return number === undefined ? null : Number(number) * (SECONDS[unit] ?? 1);
}

/** The parsed flags by option name. An option that was not given has no entry. */
export type Flags = Readonly<Record<string, unknown>>;

/** A command line that was read: its options by the names of the table, and what stands beside them. */
export interface ParsedLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
}
