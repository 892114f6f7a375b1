import type { Option } from '../config/options.ts';
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
