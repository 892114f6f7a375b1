/** A list of names that only the running server has. `mailcap completion mailboxes` prints them, one on a line. */
export type CompletedList = 'mailboxes' | 'webhooks';

/** The parts of a command that a shell can complete. */
export interface Completed {
  readonly first: string;
  /** The second word of the command, such as `wait` in `messages wait`; null if it has only one. */
  readonly second: string | null;
  readonly summary: string;
  readonly options: readonly {
    readonly flag: string;
    readonly help: string;
    readonly choices: readonly string[];
    readonly takesValue: boolean;
    readonly listed: CompletedList | null;
  }[];
  /** The possible values of its operand; empty if they are not known. */
  readonly operands: readonly string[];
  readonly listed: CompletedList | null;
  readonly takesPath: boolean;
}

/** Groups the commands by their first word, in order. */
export function families(commands: readonly Completed[]): ReadonlyMap<string, readonly Completed[]> {
  const byFirst = new Map<string, Completed[]>();
  for (const command of commands) byFirst.set(command.first, [...(byFirst.get(command.first) ?? []), command]);
  return byFirst;
}

/** Returns the shell command that prints the names. It prints nothing if no server runs. */
export function namesOf(listed: CompletedList): string {
  return `$(mailcap completion ${listed} 2>/dev/null)`;
}
