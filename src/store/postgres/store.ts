import { refuse } from '../../domain/errors.ts';
import type { Cluster } from '../../ports/server.ts';
import type { ObjectStorage } from '../../ports/storage.ts';
import type { Commit, Store } from '../../ports/store.ts';
import { type Clock, type Log, type Random, withFields } from '../../ports/system.ts';
import type { KeyedMutex } from '../../ports/waiting.ts';
import { Bodies } from './bodies.ts';
import { DatabaseRefused, type Driver, nextOf, numberColumn, statement, textColumn } from './connection.ts';
import { refuseUnfinished, shareStore } from './copy-lock.ts';
import { createLeader } from './leader.ts';
import { Listener, serversOf } from './listener.ts';
import { migrate, oneAtATime } from './migrations.ts';
import { agreeOnStorage, objectRecord, withoutStorage } from './object-record.ts';
import { objectSweep, StoredObjects } from './objects.ts';
import { createReader } from './reader-and-tx.ts';
import { DatabaseSession, readSessions, watchConnections } from './sessions.ts';
import { Questions, sharedMutex, sharedViews, sharedWaits } from './shared.ts';
import { sharedFaults } from './shared-faults.ts';
import { SharedJournal } from './shared-journal.ts';
import { SharedLimiter } from './shared-limiter.ts';
import { type SmallChange, SmallRowCache } from './small-state.ts';
import { postgresTexts } from './texts.ts';
import { buildIndex, openIndex, type TrigramIndex } from './trigram-index.ts';
import { Writer } from './writer.ts';

const VERSION = statement('version', "select current_setting('server_version_num')::float8 as version");
const PRUNE = statement(
  'prune small rows',
  `with old as (select epoch - $1::bigint as epoch from head),
   gone as (delete from small_rows using old where row is null and small_rows.epoch < old.epoch returning 1)
   update head set pruned = greatest(pruned, old.epoch) from old where exists (select 1 from gone)`,
);

const FORGET = statement('forget commits', "delete from commits where at < now() - interval '1 day'");
const FORGET_ANSWERS = statement('forget answers', "delete from answers where at < now() - interval '1 minute'");
const AGREE = statement(
  'agree on secret',
  `insert into secrets (name, value) values ($1, $2)
   on conflict (name) do update
   set value = case when secrets.value = $3 then excluded.value else secrets.value end
   returning value`,
);
const SECRET = statement('secret', 'select value from secrets where name = $1');

/** The oldest supported version of PostgreSQL, as in `server_version_num`. */
const OLDEST_VERSION = 130_000;
/** The default number of database sessions of a server. */
const SESSIONS = 10;
/** The number of sessions that do not read: one each for writing, listening, the leader's lock and the mutex. */
const OTHER_ROLES = 4;
/** The removal of a small row stays on record for this many commits, for servers that have not read it yet. */
const REMEMBERED_COMMITS = 100_000;

/** The time in milliseconds for which an object stays in the storage after its last row was removed. */
const OBJECT_GRACE_MS = 10 * 60_000;

/** The default name of the schema that holds everything. */
export const SCHEMA = 'mailcap';

export interface PostgresStoreOptions {
  readonly driver: Driver;
  /** The schema that holds everything, in lower-case letters, digits and `_`. */
  readonly schema?: string;
  readonly clock: Pick<Clock, 'after' | 'now' | 'offsetMs' | 'sleep' | 'steady'>;
  readonly random: Random;
  /** A mutex of this process. Work for the same key waits in it before it tries to take the mutex of all servers. */
  readonly mutex: KeyedMutex;
  /** The maximum number of database sessions, 5 or more. The default is 10. */
  readonly sessions?: number;
  /** The object storage that has the bodies. Null means that the database has them. */
  readonly storage?: ObjectStorage | null;
  /** The time in milliseconds for which an object without rows stays in the storage. The default is ten minutes. */
  readonly objectGraceMs?: number;
  /** Called with the new offset of the clock in milliseconds when any server has set it. */
  readonly onClockOffset?: (offsetMs: number) => void;
  /** Called with the number of milliseconds by which this server's clock is behind the database's clock. */
  readonly onClockError?: (byMs: number) => void;
}

/**
 * Opens the store in a database, and creates it or migrates its schema if necessary. Any number of servers may open it.
 *
 * @throws DatabaseRefused if the database can't be used as it is. Other errors mean that it can't be reached.
 */
export async function openPostgresStore(options: PostgresStoreOptions, log: Log): Promise<PostgresStore> {
  const { schema = SCHEMA, clock, random, storage = null } = options;
  const driver = watchConnections(options.driver, clock);
  const connection = await driver.connect('start');
  try {
    const [version] = await connection.query(VERSION);
    if (numberColumn(version, 'version') < OLDEST_VERSION)
      throw new DatabaseRefused('the database is older than PostgreSQL 13: update it.');
    await migrate(connection, schema);
    await refuseUnfinished(connection.query);
    const objects = await oneAtATime(connection, schema, () => agreeOnStorage(connection, schema, storage, random));
    const trigrams = await openIndex(connection, schema, log);
    const server = await nextOf(connection.query, 'servers');
    const ofServer = withFields(log, { server });
    const stored =
      storage === null || objects === null
        ? null
        : new StoredObjects({ storage, store: objects, watch: { clock, log: ofServer } });
    const store = await startServer({ ...options, driver, schema, server, log: ofServer, objects: stored, trigrams });
    // Another server with an object storage may have moved the bodies there meanwhile.
    const record = stored === null ? await objectRecord(connection.query) : null;
    if (record === null) return store;
    await store.close();
    throw withoutStorage(record);
  } finally {
    if (connection.isOpen) await connection.close();
  }
}

/** A server's store, and what it shares with the other servers. */
export interface PostgresStore extends Store {
  /** The number of this server in the database. No other server ever gets the same number. */
  readonly server: number;
  readonly cluster: Cluster;
}

interface Parts extends PostgresStoreOptions {
  readonly schema: string;
  readonly server: number;
  readonly log: Log;
  readonly objects: StoredObjects | null;
  readonly trigrams: TrigramIndex | 'later' | null;
}

/** Creates the parts of a server's store, starts to listen to other servers, and loads the small rows. */
async function startServer(parts: Parts): Promise<PostgresStore> {
  const { driver, schema, server, clock, random, log, objects, trigrams, onClockError = () => {} } = parts;
  const { sessions = SESSIONS, objectGraceMs: graceMs = OBJECT_GRACE_MS, onClockOffset = () => {} } = parts;
  const channel = `${schema} commits`;
  const reads = readSessions(driver, Math.max(1, sessions - OTHER_ROLES));
  const { query } = reads;
  const writes = new DatabaseSession(driver, 'writes');
  const bodies = new Bodies(query, objects);
  const listeners = new Set<(commit: Commit) => void>();
  const onCommit = (commit: Commit): void => {
    for (const tell of listeners) tell(commit);
  };
  // A clock offset that another server has set is applied before any reader returns.
  const onChanged = (changes: readonly SmallChange[]): void => {
    if (changes.some(({ kind }) => kind === 'settings')) onClockOffset(state.settings.get('clockOffsetMs')?.value ?? 0);
  };
  const cache = new SmallRowCache(query, onChanged);
  const { state } = cache;
  const small = () => cache.fresh();
  const writer = new Writer({
    session: writes,
    bodies,
    server,
    channel,
    committed: state,
    clock,
    log,
    onCommit,
    onChanged,
  });
  const alone: Writer['alone'] = (act) => writer.alone(act);
  const sweep = objects === null ? null : objectSweep({ objects, query, alone, clock, graceMs });
  const others = async () => (await serversOf(query, schema)) - 1;
  const questions = new Questions({ query, channel, server, clock, others });
  const limiter = new SharedLimiter(query);
  const { faults, load: loadFaults, forget: forgetFaults } = sharedFaults(query, questions, random);
  const journal = new SharedJournal({ query, questions, server, clock, log });
  const listener = new Listener({
    driver,
    channel,
    server,
    clock,
    log,
    onOpen: (connection) => shareStore(connection, schema),
    onClockError,
    onNote: ({ commit, settings }) => {
      if (settings) void small().catch(() => {});
      // After a time without notifications, the fault rules may have changed.
      if (commit.all) void loadFaults().catch(() => {});
      onCommit(commit);
    },
    onOther: (payload) => questions.hear(payload),
    onAway: () => {
      reads.cut();
      writes.cut();
    },
  });
  let index = trigrams === 'later' ? null : trigrams;
  if (trigrams === 'later')
    void buildIndex(driver, schema, log).then(
      (built) => {
        index = built;
      },
      (error: unknown) => log.warn('the index of the search could not be built: the next start tries again', { error }),
    );

  const read = createReader(state, { query, small });
  // Reads without checking first whether the small rows are current.
  const now = createReader(state, { query, small: async () => state });
  const texts = postgresTexts({ query, small, index: () => index });
  let closed: Promise<void> | null = null;
  const storeWith = (transaction: Store['transaction']): Store => ({
    read,
    readNow: () => small().then(() => now),
    blobs: bodies,
    texts,
    get health() {
      const isThere = listener.isHearing && !writer.isOutcomeUnknown && objects?.isAway !== true;
      return isThere ? 'ok' : 'storage_unavailable';
    },
    transaction: async (body) => {
      if (closed !== null) throw new Error('the store is closed');
      const uploaded = bodies.uploaded();
      if (uploaded !== null) await uploaded;
      return transaction(body);
    },
    onCommit: (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    // PostgreSQL's own vacuum frees the disk.
    reclaim: async () => {
      await bodies.sweep();
      await sweep?.();
      await query(PRUNE, [REMEMBERED_COMMITS]);
      for (const wanted of [FORGET, FORGET_ANSWERS]) await query(wanted);
      await limiter.prune();
      await journal.prune();
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  });
  const sessionOfMutex = new DatabaseSession(driver, 'mutex');
  const leader = createLeader({
    session: new DatabaseSession(driver, 'leader'),
    schema,
    server,
    clock,
    log,
    store: storeWith((body) =>
      writer.transaction((tx) => {
        if (writer.working.leadership.get('leader')?.server !== server) throw refuse('storage_unavailable');
        return body(tx);
      }),
    ),
    take: () => writer.takeLead(server),
  });
  const cluster: Cluster = {
    server,
    mutex: sharedMutex(parts.mutex, sessionOfMutex, schema, clock),
    lead: leader.lead,
    shared: { limiter, faults, journal, views: sharedViews(query, random) },
    ...sharedWaits(query, questions, server),
    others,
    agreeOn: async (name, proposed, instead) => {
      const [row] = await query(AGREE, [name, proposed, instead ?? null]);
      return textColumn(row, 'value');
    },
    secret: async (name) => {
      const [row] = await query(SECRET, [name]);
      return row === undefined ? null : textColumn(row, 'value');
    },
  };

  async function close(): Promise<void> {
    await leader.close();
    await bodies.uploaded();
    await writer.idle();
    await limiter.idle();
    await journal.close();
    await cache.idle();
    await Promise.all([listener.close(), writes.close(), reads.close(), sessionOfMutex.close(), objects?.close()]);
  }

  await listener.start();
  await small();
  // Fault rules end with the last server, so the first server removes old ones.
  if ((await others()) <= 0) await forgetFaults();
  await loadFaults();
  leader.start();
  return Object.assign(
    storeWith((body) => writer.transaction(body)),
    { server, cluster },
  );
}
