import { ApiError, refuse } from '../../domain/errors.ts';
import { ObjectStorageAway } from '../../ports/storage.ts';
import { errorCode } from '../../text/unknown.ts';

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

/** Runs a statement that answers a question in the column `yes`. */
export async function says(
  query: RunStatement,
  question: Statement,
  values?: readonly StatementValue[],
): Promise<boolean> {
  const [row] = await query(question, values);
  return row?.['yes'] === true;
}

/** Takes an advisory lock until the end of the session. The answer is no if another session holds it. */
export const TRY_LOCK = statement('try lock', 'select pg_try_advisory_lock(hashtextextended($1, 0)) as yes');
export const UNLOCK = statement('unlock', 'select pg_advisory_unlock(hashtextextended($1, 0))');

/** Returns the bytes of a column, or null if it is null. Throws if it holds anything else. */
export function bytesColumn(row: DatabaseRow | undefined, column: string): Buffer | null {
  const value = row?.[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new Error(`the database has no bytes in ${column}`);
}

/** Parses the JSON in the column `row`. */
export function parseRow<Document>(row: DatabaseRow): Document {
  // The cast is safe: only the store writes this column, with rows of the table's type.
  return JSON.parse(textColumn(row, 'row')) as Document;
}

/** The error for a database that can't be used. Its message tells the reason and the remedy. It holds no secret. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly code = 'DATABASE_REFUSED';
}

/** PostgreSQL's error code (SQLSTATE) for a full disk. */
const DISK_FULL = '53100';
/**
 * The classes of error codes that may pass: connection, transaction state, rollback, resources, object state, operator
 * intervention, system.
 */
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58']);

/**
 * Translates a failure of the database or the object storage into `disk_full` or `storage_unavailable`. It returns
 * other errors, such as an invalid statement, unchanged.
 */
export function storageTrouble(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof ObjectStorageAway) return refuse('storage_unavailable', undefined, { cause: error });
  const code = codeOf(error);
  if (code === DISK_FULL) return refuse('disk_full', undefined, { cause: error });
  if (code !== null && !PASSING.has(code.slice(0, 2))) return error;
  return refuse('storage_unavailable', undefined, { cause: error });
}

/** Tells whether the database sent the error. A lost connection is not sent by the database. */
export function isAnswer(error: unknown): boolean {
  return codeOf(error) !== null;
}

/** Returns the SQLSTATE of an error, or null if the database did not send it. */
export function codeOf(error: unknown): string | null {
  // EPIPE, the error of a broken connection, looks like an SQLSTATE.
  if (error instanceof Error && 'syscall' in error) return null;
  const code = errorCode(error);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

// A sequence of PostgreSQL may return the same number again after a power cut, because its state need not be on the
// disk when it answers. So a row counts.
const NEXT = statement(
  'next of counter',
  `insert into counters (name, value) values ($1, 1)
   on conflict (name) do update set value = counters.value + 1
   returning value::float8 as value`,
);

/** Returns the next number of a counter. No server ever gets the same number again. */
export async function nextOf(query: RunStatement, name: 'servers' | 'blob blocks'): Promise<number> {
  const [row] = await query(NEXT, [name]);
  return numberColumn(row, 'value');
}
