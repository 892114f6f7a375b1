import type { StartWork } from '../../ports/server.ts';
import type { Store } from '../../ports/store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { type DatabaseConnection, says, statement, TRY_LOCK } from './connection.ts';
import type { DatabaseSession } from './sessions.ts';

/**
 * The interval in milliseconds at which a server checks whether it can become the leader. The leader renews its lease
 * less often.
 */
const TURN_MS = 250;
const RENEW_EVERY_MS = 2_000;
/**
 * When all servers have lost their connections, the old leader should stay the leader. So the others wait this many
 * milliseconds after they have connected again.
 */
const COURTESY_MS = 1_000;

// A leader that hangs keeps its role until its lease ends, by the clock of the database.
const TAKE = statement(
  'take lead',
  `insert into leader (server, process, until) values ($1, pg_backend_pid(), now() + interval '10 seconds')
   on conflict (one) do update
   set server = excluded.server, process = excluded.process, until = excluded.until`,
);
const RENEW = statement('renew lead', "update leader set until = now() + interval '10 seconds' where server = $1");
// A process id may be reused. So the process is ended only if it holds an advisory lock in this database.
const DEPOSE = statement(
  'depose leader',
  `select pg_terminate_backend(process) from leader
   where until < now() and server <> $1 and process in (
     select pid from pg_locks
     where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database()))`,
);

interface LeaderParts {
  readonly session: DatabaseSession;
  readonly schema: string;
  readonly server: number;
  readonly clock: Pick<Clock, 'after' | 'steady'>;
  readonly log: Log;
  /** The store for the work. Its transactions throw `storage_unavailable` once another server is the leader. */
  readonly store: Store;
  /** Records in a transaction that this server is the leader. */
  readonly take: () => Promise<void>;
}

interface Work {
  readonly start: StartWork;
  stop: ((graceMs: number) => Promise<void>) | null;
}

interface Leader {
  /** Begins to take part in the election. */
  start(): void;
  /** Runs work while this server is the leader. The returned function stops the work. */
  lead(start: StartWork): (graceMs: number) => Promise<void>;
  close(): Promise<void>;
}

/**
 * Elects the leader: the one server that delivers, forwards and sweeps. The leader holds an advisory lock with a
 * session of its own, so a server that dies loses the lock at once. A server that hangs loses it when its lease ends. A
 * new leader records itself in the store; from then on the store refuses transactions of the old leader's work.
 */
export function createLeader({ session, schema, server, clock, log, store, take }: LeaderParts): Leader {
  const works = new Set<Work>();
  let held: DatabaseConnection | null = null;
  let known: DatabaseConnection | null = null;
  let [knownSince, renewedAt] = [0, 0];
  let [isLeading, isClosed] = [false, false];
  let cancel = () => {};
  let turn: Promise<void> = Promise.resolve();

  const nextTurn = (ms: number): void => {
    if (isClosed) return;
    cancel = clock.after(ms, () => {
      turn = takeTurn().catch((error: unknown) => log.debug('the election of the leader failed', { error }));
      void turn.then(() => nextTurn(TURN_MS));
    });
  };
  const takeTurn = async (): Promise<void> => {
    const connection = await session.connection();
    if (known !== connection) {
      knownSince = known === null ? Number.NEGATIVE_INFINITY : clock.steady();
      known = connection;
    }
    if (held === connection) {
      if (clock.steady() - renewedAt < RENEW_EVERY_MS) return;
      await connection.query(RENEW, [server]);
      renewedAt = clock.steady();
      return;
    }
    if (!isLeading && clock.steady() - knownSince < COURTESY_MS) return;
    if (!(await says(connection.query, TRY_LOCK, [`mailcap ${schema} leader`]))) {
      if (isLeading) await lose();
      await connection.query(DEPOSE, [server]);
      return;
    }
    await connection.query(TAKE, [server]);
    await take();
    if (!connection.isOpen) return;
    held = connection;
    renewedAt = clock.steady();
    if (isLeading || isClosed) return;
    isLeading = true;
    log.info('this server delivers, forwards and sweeps from now on');
    for (const work of works) work.stop = work.start(store);
  };
  /** Stops the work, because another session has become the leader. */
  const lose = async (): Promise<void> => {
    isLeading = false;
    log.warn('this server no longer delivers, forwards and sweeps: another session holds the lock of the leader');
    const stops = [...works].map((work) => {
      const { stop } = work;
      work.stop = null;
      return stop?.(0);
    });
    await Promise.all(stops);
  };
  return {
    start: () => nextTurn(0),
    lead: (start) => {
      const work: Work = { start, stop: isLeading ? start(store) : null };
      works.add(work);
      return async (graceMs) => {
        works.delete(work);
        await work.stop?.(graceMs);
      };
    },
    close: async () => {
      isClosed = true;
      cancel();
      await turn;
      await session.close();
    },
  };
}
