import { refuse } from '../../domain/errors.ts';
import type { StartWork } from '../../ports/server.ts';
import type { Store } from '../../ports/store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { type DatabaseConnection, statement } from './connection.ts';
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

const TRY = statement('try to lead', 'select pg_try_advisory_lock(hashtextextended($1, 0)) as got');
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
  readonly store: Store;
  /** Records in a transaction that this server is the leader. */
  readonly take: () => Promise<void>;
  /** Tells whether this server is the leader. It is exact only within a transaction. */
  readonly leads: () => boolean;
}

interface Work {
  readonly start: StartWork;
  stop: ((graceMs: number) => Promise<void>) | null;
}

/**
 * Elects the leader: the one server that delivers, forwards and sweeps. The leader holds an advisory lock with a
 * session of its own, so a server that dies loses the lock at once. A server that hangs loses it when its lease ends. A
 * new leader records itself in the store; from then on the store refuses transactions of the old leader's work.
 */
export class Leader {
  readonly #parts: LeaderParts;
  readonly #lock: string;
  readonly #work = new Set<Work>();
  readonly #fenced: Store;
  #held: DatabaseConnection | null = null;
  #known: DatabaseConnection | null = null;
  #knownSince = 0;
  #renewedAt = 0;
  #isLeading = false;
  #cancel = () => {};
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: LeaderParts) {
    this.#parts = parts;
    this.#lock = `mailcap ${parts.schema} leader`;
    this.#fenced = fence(parts.store, parts.leads);
  }

  start(): void {
    this.#next(0);
  }

  /** Runs work while this server is the leader. The returned function stops the work. */
  lead(start: StartWork): (graceMs: number) => Promise<void> {
    const work: Work = { start, stop: this.#isLeading ? start(this.#fenced) : null };
    this.#work.add(work);
    return async (graceMs) => {
      this.#work.delete(work);
      await work.stop?.(graceMs);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#turn;
    await this.#parts.session.close();
  }

  #next(ms: number): void {
    if (this.#closed) return;
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#turn = this.#take().catch((error: unknown) => {
        this.#parts.log.debug('the election of the leader failed', { error });
      });
      void this.#turn.then(() => this.#next(TURN_MS));
    });
  }

  async #take(): Promise<void> {
    const { session, server, clock, take } = this.#parts;
    const connection = await session.connection();
    if (this.#known !== connection) {
      const isFirst = this.#known === null;
      this.#known = connection;
      this.#knownSince = isFirst ? Number.NEGATIVE_INFINITY : clock.steady();
    }
    if (this.#held === connection) {
      if (clock.steady() - this.#renewedAt < RENEW_EVERY_MS) return;
      await connection.query(RENEW, [server]);
      this.#renewedAt = clock.steady();
      return;
    }
    if (!this.#isLeading && clock.steady() - this.#knownSince < COURTESY_MS) return;
    const [row] = await connection.query(TRY, [this.#lock]);
    if (row?.['got'] !== true) {
      if (this.#isLeading) await this.#lose();
      await connection.query(DEPOSE, [server]);
      return;
    }
    await connection.query(TAKE, [server]);
    await take();
    if (!connection.isOpen) return;
    this.#held = connection;
    this.#renewedAt = clock.steady();
    if (this.#isLeading || this.#closed) return;
    this.#isLeading = true;
    this.#parts.log.info('this server delivers, forwards and sweeps from now on');
    for (const work of this.#work) work.stop = work.start(this.#fenced);
  }

  /** Stops the work, because another session has become the leader. */
  async #lose(): Promise<void> {
    this.#isLeading = false;
    this.#parts.log.warn(
      'this server no longer delivers, forwards and sweeps: another session holds the lock of the leader',
    );
    const stops = [...this.#work].map((work) => {
      const { stop } = work;
      work.stop = null;
      return stop?.(0);
    });
    await Promise.all(stops);
  }
}

/** Returns the store, but with transactions that throw `storage_unavailable` unless `leads` returns true. */
function fence(store: Store, leads: () => boolean): Store {
  return {
    get read() {
      return store.read;
    },
    readNow: () => store.readNow(),
    get blobs() {
      return store.blobs;
    },
    get texts() {
      return store.texts;
    },
    get health() {
      return store.health;
    },
    transaction: (body) =>
      store.transaction((tx) => {
        if (!leads()) throw refuse('storage_unavailable');
        return body(tx);
      }),
    onCommit: (listener) => store.onCommit(listener),
    reclaim: () => store.reclaim(),
    close: () => store.close(),
  };
}
