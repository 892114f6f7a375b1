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
  }[];
  /** What its operand can be, where that is known. */
  readonly operands: readonly string[];
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
