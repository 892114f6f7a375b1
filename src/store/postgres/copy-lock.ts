import {
  type DatabaseConnection,
  DatabaseRefused,
  type RunStatement,
  says,
  statement,
  TRY_LOCK,
  UNLOCK,
} from './connection.ts';

// Every server holds an advisory lock in shared mode, and a copy holds it exclusively. A copy also marks its target as
// unfinished; the mark stays if the copy is interrupted.

const SHARE = statement('share store', 'select pg_try_advisory_lock_shared(hashtextextended($1, 0)) as yes');
const IS_MARKED = statement(
  'find unfinished copy',
  "select exists (select 1 from counters where name = 'unfinished copy') as yes",
);
const MARK = statement(
  'mark unfinished copy',
  "insert into counters (name, value) values ('unfinished copy', 1) on conflict do nothing",
);
const UNMARK = statement('unmark copy', "delete from counters where name = 'unfinished copy'");

function lockOf(schema: string): string {
  return `mailcap ${schema} store`;
}

/**
 * Takes the lock in shared mode, for a server. The session holds it until its end.
 *
 * @throws DatabaseRefused if a copy holds the lock.
 */
export async function shareStore(connection: DatabaseConnection, schema: string): Promise<void> {
  if (!(await says(connection.query, SHARE, [lockOf(schema)])))
    throw new DatabaseRefused('`mailcap store copy` has the store of this database: start the server when it is done.');
}

/**
 * Takes the lock exclusively, for a copy. The session holds it until its end. Returns false if a server or another copy
 * holds the lock.
 */
export function takeStore(connection: DatabaseConnection, schema: string): Promise<boolean> {
  return says(connection.query, TRY_LOCK, [lockOf(schema)]);
}

/** Releases the lock that {@link takeStore} took. */
export async function giveStore(connection: DatabaseConnection, schema: string): Promise<void> {
  // If the session has ended, it has released the lock already.
  if (connection.isOpen) await connection.query(UNLOCK, [lockOf(schema)]);
}

/** Tells whether the store is the unfinished target of a copy. */
export function isUnfinishedCopy(query: RunStatement): Promise<boolean> {
  return says(query, IS_MARKED);
}

/**
 * Checks that a server may start with the store.
 *
 * @throws DatabaseRefused if the store is the unfinished target of a copy.
 */
export async function refuseUnfinished(query: RunStatement): Promise<void> {
  if (await isUnfinishedCopy(query))
    throw new DatabaseRefused(
      'the store of this database is an unfinished copy: run `mailcap store copy` again, which starts it anew.',
    );
}

export async function markUnfinished(query: RunStatement): Promise<void> {
  await query(MARK);
}

export async function unmarkUnfinished(query: RunStatement): Promise<void> {
  await query(UNMARK);
}
