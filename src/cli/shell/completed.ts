/** What only the running server knows the names of: `mailcap completion mailboxes` prints them, one a line. */
export type Listed = 'mailboxes' | 'webhooks';

/** What a shell can complete of a command. */
export interface Completed {
  readonly first: string;
  /** `wait` of `messages wait`. */
  readonly second: string | null;
  readonly summary: string;
  readonly options: readonly {
    readonly flag: string;
    readonly help: string;
    readonly choices: readonly string[];
    readonly takesValue: boolean;
    readonly listed: Listed | null;
  }[];
  /** What its operand can be, where that is known. */
  readonly operands: readonly string[];
  readonly listed: Listed | null;
  readonly takesPath: boolean;
}

/** The commands by their first word, in order. */
export function families(commands: readonly Completed[]): ReadonlyMap<string, readonly Completed[]> {
  const byFirst = new Map<string, Completed[]>();
  for (const command of commands) byFirst.set(command.first, [...(byFirst.get(command.first) ?? []), command]);
  return byFirst;
}

/** Summaries hold nothing else that a shell would take for its own. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that prints the names, and says nothing where no server runs. */
export function namesOf(listed: Listed): string {
  return `$(mailcap completion ${listed} 2>/dev/null)`;
}
