/** The value of a parameter of a statement. */
export type StatementValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

/** A prepared statement. PostgreSQL parses it once for each session, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs a statement and returns its rows. */
export type RunStatement = (
  statement: Statement,
  values?: readonly StatementValue[],
) => Promise<readonly DatabaseRow[]>;

/**
 * A database session. Statements run in the order of the calls. They are pipelined: each is sent without waiting for
 * the answer to the previous one.
 */
export interface DatabaseConnection {
  readonly query: RunStatement;
  /** Runs SQL without parameters, which may hold several statements. */
  script(text: string): Promise<void>;
  /**
   * Sends all statements that `act` starts in one write to the network, because each write costs as much as a small
   * statement.
   */
  together<T>(act: () => T): T;
  readonly isOpen: boolean;
  /** Calls `act` once the session has ended for any reason, or at once if it has ended already. */
  onEnd(act: () => void): void;
  /** Calls `act` with the payload of each notification on the channels that the session listens to. */
  onNotification(act: (payload: string) => void): void;
  /** Ends the session after the running statements. */
  close(): Promise<void>;
  /** Ends the session at once. Running statements fail. */
  destroy(): void;
}

/** Opens sessions with one database. Tests replace it. */
export interface Driver {
  /** Host, port and database, to be shown to people. It holds no password. */
  readonly name: string;
  /** Opens a session. `role` is part of its application name, which `pg_stat_activity` shows. */
  connect(role: string): Promise<DatabaseConnection>;
}

/** Defines a prepared statement. */
export function statement(name: string, text: string): Statement {
  return { name: `mailcap ${name}`, text };
}

/** Returns the text of a column. Throws if it holds no text. */
export function textColumn(row: DatabaseRow | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new Error(`the database has no text in ${column}`);
  return value;
}

/**
 * Returns the number of a column. Throws if it holds no number. Statements cast bigint to float8, because some drivers
 * return bigint as text.
 */
export function numberColumn(row: DatabaseRow | undefined, column: string): number {
  const value = Number(row?.[column] ?? Number.NaN);
  if (Number.isNaN(value)) throw new Error(`the database has no number in ${column}`);
  return value;
}

/** Returns the bytes of a column, or null if it is null. Throws if it holds anything else. */
export function bytesColumn(row: DatabaseRow | undefined, column: string): Buffer | null {
  const value = row?.[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new Error(`the database has no bytes in ${column}`);
}

/** Parses the JSON in the column `row`. */
export function documentOf<Document>(row: DatabaseRow): Document {
  // The cast is safe: only the store writes this column, with rows of the table's type.
  return JSON.parse(textColumn(row, 'row')) as Document;
}
