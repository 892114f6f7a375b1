import type { Option } from '../config/options.ts';
import type { Arguments } from './arguments.ts';

/** An option of a command. One of the server's serves as it is. */
export interface CliOption extends Omit<Option, 'type'> {
  readonly type: Option['type'] | 'seconds' | 'count' | 'optional';
  /** What stands for its value in the help page. */
  readonly value?: string;
}

export type OptionTable = Readonly<Record<string, CliOption>>;

/** What is named without a flag: `messages show <id>`. */
export interface Operand {
  readonly name: string;
  readonly required: boolean;
  /** It takes all that follow. */
  readonly many?: boolean;
}

export type GroupName = 'Server' | 'Mail' | 'Webhooks, codes, keys' | 'Shell';

/** A command as data: help, completion and the README's table are made of it. Its code is loaded when it runs. */
export interface Command {
  readonly group: GroupName;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly options: OptionTable;
  /** What is typed for it, before it is told apart into options and operands: each argument for itself. */
  readonly normalize?: (typed: string) => string;
  /** What else its help page says: lines of 76 columns at most. */
  readonly notes?: readonly string[];
  /** Command lines without the leading `mailcap`, as somebody would type them. */
  readonly examples: readonly string[];
  /** It talks to a server, and takes the options that say to which. */
  readonly isClient?: boolean;
  /** It reads its command line itself, handed over as operands: callers of another program wrote it. */
  readonly isRaw?: boolean;
  /** `all` are the commands there are. */
  run(args: Arguments, all: Commands): Promise<number>;
}

/** By what is typed: `dev`, `messages wait`. */
export type Commands = Readonly<Record<string, Command>>;

/** How a command line ended. `bug` is what nobody foresaw (sysexits EX_SOFTWARE). */
export const EXIT = { done: 0, failed: 1, misuse: 2, timedOut: 3, unreachable: 4, bug: 70, interrupted: 130 } as const;
