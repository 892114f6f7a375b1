/** A value that a statement takes. */
export type StatementValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

/** A fixed statement. The server plans it once for each connection, under its name. */
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

/** A session of the database. Statements run in the order of the calls; none waits for the answer to the one before. */
export interface DatabaseConnection {
  readonly query: RunStatement;
  /** Runs several statements without values, as one. */
  script(text: string): Promise<void>;
  /** Sends the statements that `act` asks for at once. Each write to the network costs as much as a small statement. */
  together<T>(act: () => T): T;
  readonly isOpen: boolean;
  /** Calls `act` once the session is over, for whatever reason. */
  onEnd(act: () => void): void;
  /** Calls `act` with the payload of each notification of a channel that the session listens to. */
  onNotification(act: (payload: string) => void): void;
  /** Ends the session after the running statements. */
  close(): Promise<void>;
  /** Ends the session at once. Running statements fail. */
  destroy(): void;
}

/** Opens sessions of one database. Tests replace it. */
export interface Driver {
  /** Host, port and database for people. It holds no password. */
  readonly name: string;
  /** Opens a session. `role` appears in `pg_stat_activity`. */
  connect(role: string): Promise<DatabaseConnection>;
}

/** Defines a fixed statement. */
export function statement(name: string, text: string): Statement {
  return { name: `mailcap ${name}`, text };
}

/** Returns the text of a column. */
export function textColumn(row: DatabaseRow | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new Error(`the database has no text in ${column}`);
  return value;
}

/** Returns the number of a column. Statements cast wide integers to float8, because drivers disagree about them. */
export function numberColumn(row: DatabaseRow | undefined, column: string): number {
  const value = Number(row?.[column] ?? Number.NaN);
  if (Number.isNaN(value)) throw new Error(`the database has no number in ${column}`);
  return value;
}

/** Returns the bytes of a column, or null. */
export function bytesColumn(row: DatabaseRow | undefined, column: string): Buffer | null {
  const value = row?.[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new Error(`the database has no bytes in ${column}`);
}

/** Parses the document in the column `row`. */
export function documentOf<Document>(row: DatabaseRow): Document {
  // The cast is safe: only the store writes this column, with rows of the table's type.
  return JSON.parse(textColumn(row, 'row')) as Document;
}
