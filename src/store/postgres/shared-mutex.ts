import { refuse } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyedMutex } from '../../ports/keyed-mutex.ts';
import { type DatabaseConnection, statement } from './connection.ts';
import type { DatabaseSession } from './sessions.ts';

const TRY = statement('try mutex', 'select pg_try_advisory_lock(hashtextextended($1, 1)) as got');
const RELEASE = statement('release mutex', 'select pg_advisory_unlock(hashtextextended($1, 1))');

/** The pause in milliseconds before the next attempt to take a key that another server holds. */
const PAUSE_MS = 25;

/**
 * Creates a mutex among all servers of a database. Work of this server queues in `own`; the first in that queue takes
 * an advisory lock in the database. One session holds all locks of the server, so a server that dies loses them.
 */
export function sharedMutex(
  own: KeyedMutex,
  session: DatabaseSession,
  schema: string,
  clock: Pick<Clock, 'sleep'>,
): KeyedMutex {
  const acquire = async (key: string): Promise<DatabaseConnection> => {
    for (;;) {
      const connection = await session.connection();
      const [row] = await connection.query(TRY, [key]);
      if (row?.['got'] === true) return connection;
      await clock.sleep(PAUSE_MS);
    }
  };
  return {
    runExclusive: (name, work) =>
      own.runExclusive(name, async () => {
        const key = `mailcap ${schema} ${name}`;
        const connection = await acquire(key).catch((error: unknown) => {
          throw refuse('storage_unavailable', undefined, { cause: error });
        });
        try {
          return await work();
        } finally {
          // If the session was lost, the database has released the lock.
          if (connection.isOpen) await connection.query(RELEASE, [key]).catch(() => {});
        }
      }),
  };
}
