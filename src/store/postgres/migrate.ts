import { type DatabaseConnection, numberColumn, statement, textColumn } from './connection.ts';
import { codeOf, DatabaseRefused } from './errors.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

const LOCK = statement('lock migrations', 'select pg_advisory_lock(hashtextextended($1, 0))');
const UNLOCK = statement('unlock migrations', 'select pg_advisory_unlock(hashtextextended($1, 0))');
const ENCODING = statement('encoding', "select current_setting('server_encoding') as encoding");
const TABLE = statement('find migrations', "select to_regclass('migrations') is not null as found");
const NEWEST = statement('newest migration', 'select coalesce(max(number), 0)::float8 as number from migrations');
const RECORD = statement('record migration', 'insert into migrations (number) values ($1)');

/**
 * The time in milliseconds that a migration waits for the lock of a table before it rolls back and starts again. It is
 * shorter than PostgreSQL's `deadlock_timeout`, so that a deadlock never makes a running server refuse mail.
 */
const GIVE_WAY_MS = 500;
const PAUSE = statement('pause a migration', 'select pg_sleep(0.1)');
/** The maximum number of attempts to run a migration. If all fail, another session holds a table permanently. */
const MOST_TRIES = 120;
const GAVE_WAY = new Set(['55P03', '40P01']);

/**
 * Brings the schema to the newest version. Servers that start at the same time migrate one after the other.
 *
 * @throws DatabaseRefused if the schema is newer than this program, or if the database's encoding is not UTF8.
 */
export async function migrate(
  connection: DatabaseConnection,
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const [encoding] = await connection.query(ENCODING);
  if (textColumn(encoding, 'encoding') !== 'UTF8')
    throw new DatabaseRefused(
      `the database's encoding is ${textColumn(encoding, 'encoding')}: create one with the encoding UTF8.`,
    );
  await oneAtATime(connection, schema, () => runMissing(connection, schema, migrations));
}

/** Runs `act` under the lock of migrations, so that servers that start at the same time run it one after the other. */
export async function oneAtATime<T>(connection: DatabaseConnection, schema: string, act: () => Promise<T>): Promise<T> {
  const lock = `mailcap ${schema} migrations`;
  await connection.query(LOCK, [lock]);
  try {
    return await act();
  } finally {
    // If the session has ended, it has released the lock already.
    if (connection.isOpen) await connection.query(UNLOCK, [lock]);
  }
}

async function runMissing(
  connection: DatabaseConnection,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const [found] = await connection.query(TABLE);
  if (found?.['found'] !== true)
    await connection.script(
      `create schema if not exists "${schema}"; create table if not exists "${schema}".migrations (number integer primary key, at timestamptz not null default now())`,
    );
  const current = await knownVersion(connection, migrations);
  for (const { number, script } of migrations) {
    if (number > current) await run(connection, { number, script });
  }
}

/** Runs one migration. If running servers hold its tables, it rolls back and tries again. */
async function run(connection: DatabaseConnection, { number, script }: Migration): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.script(`begin; set local lock_timeout to '${GIVE_WAY_MS}ms'`);
      await connection.script(script);
      await connection.query(RECORD, [number]);
      await connection.script('commit');
      return;
    } catch (error) {
      if (connection.isOpen) await connection.script('rollback');
      if (!GAVE_WAY.has(codeOf(error) ?? '') || tries === MOST_TRIES) throw error;
      await connection.query(PAUSE);
    }
  }
}

/**
 * Returns the version of an existing schema.
 *
 * @throws DatabaseRefused if it is newer than this program.
 */
export async function knownVersion(connection: DatabaseConnection, migrations: readonly Migration[]): Promise<number> {
  const [newest] = await connection.query(NEWEST);
  const current = numberColumn(newest, 'number');
  const ours = newestVersion(migrations);
  if (current > ours)
    throw new DatabaseRefused(
      `the database has version ${current} of mailcap's schema, and this mailcap knows ${ours}: update mailcap.`,
    );
  return current;
}

/** Returns the version of the schema after all migrations. */
export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}
