import type { Cluster } from '../../ports/server.ts';
import type { ObjectStorage } from '../../ports/storage.ts';
import type { Blobs, Commit, MessageTexts, Reader, Store, StoreHealth, Tx } from '../../ports/store.ts';
import { type Clock, type Log, type Random, withFields } from '../../ports/system.ts';
import type { KeyedMutex } from '../../ports/waiting.ts';
import { Bodies } from './bodies.ts';
import {
  type DatabaseConnection,
  DatabaseRefused,
  type Driver,
  nextOf,
  numberColumn,
  statement,
  textColumn,
} from './connection.ts';
import { refuseUnfinished, shareStore } from './copy-lock.ts';
import { Leader } from './leader.ts';
import { Listener, serversOf } from './listener.ts';
import { migrate, oneAtATime } from './migrations.ts';
import { agreeOnStorage, objectRecord, withoutStorage } from './object-record.ts';
import { ObjectSweep, StoredObjects } from './objects.ts';
import { createReader } from './reader-and-tx.ts';
import { DatabaseSession, ReadSessions, watchConnections } from './sessions.ts';
import { Questions, SharedWaits, sharedMutex, sharedViews } from './shared.ts';
import { SharedFaults } from './shared-faults.ts';
import { SharedJournal } from './shared-journal.ts';
import { SharedLimiter } from './shared-limiter.ts';
import { type SmallChange, SmallRowCache } from './small-state.ts';
import { PostgresTexts } from './texts.ts';
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
    const store = new PostgresStore({ ...options, driver, schema, server, log: ofServer, objects: stored, trigrams });
    await store.start();
    // Another server with an object storage may have moved the bodies there meanwhile.
    const record = stored === null ? await objectRecord(connection.query) : null;
    if (record === null) return store;
    await store.close();
    throw withoutStorage(record);
  } finally {
    await end(connection);
  }
}

async function end(connection: DatabaseConnection): Promise<void> {
  if (connection.isOpen) await connection.close();
}

interface Parts extends PostgresStoreOptions {
  readonly schema: string;
  readonly server: number;
  readonly log: Log;
  readonly objects: StoredObjects | null;
  readonly trigrams: TrigramIndex | 'later' | null;
}

export class PostgresStore implements Store {
  readonly read: Reader;
  /** Reads without checking first whether the small rows are current. */
  readonly #now: Reader;
  readonly texts: MessageTexts;
  readonly #driver: Driver;
  /** The number of this server in the database. No other server ever gets the same number. */
  readonly server: number;
  readonly #reads: ReadSessions;
  readonly #writes: DatabaseSession;
  readonly #bodies: Bodies;
  readonly #objects: StoredObjects | null;
  readonly #sweep: ObjectSweep | null;
  readonly #fresh: SmallRowCache;
  readonly #writer: Writer;
  readonly #listener: Listener;
  readonly #leader: Leader;
  readonly #sessionOfMutex: DatabaseSession;
  readonly #onClockOffset: (offsetMs: number) => void;
  readonly #limiter: SharedLimiter;
  readonly #faults: SharedFaults;
  readonly #journal: SharedJournal;
  /** The services that this server shares with the others. */
  readonly cluster: Cluster;
  readonly #listeners = new Set<(commit: Commit) => void>();
  #closed: Promise<void> | null = null;

  constructor(parts: Parts) {
    const {
      driver,
      schema,
      server,
      clock,
      random,
      mutex,
      log,
      objects,
      trigrams,
      sessions = SESSIONS,
      objectGraceMs = OBJECT_GRACE_MS,
      onClockOffset = () => {},
      onClockError = () => {},
    } = parts;
    const channel = `${schema} commits`;
    this.#driver = driver;
    this.server = server;
    this.#onClockOffset = onClockOffset;
    this.#reads = new ReadSessions(driver, Math.max(1, sessions - OTHER_ROLES));
    this.#writes = new DatabaseSession(driver, 'writes');
    this.#objects = objects;
    this.#bodies = new Bodies(this.#reads.query, objects);
    const onChanged = (changes: readonly SmallChange[]) => this.#changed(changes);
    this.#fresh = new SmallRowCache(this.#reads.query, onChanged);
    const onCommit = (commit: Commit) => this.#tell(commit);
    this.#writer = new Writer({
      session: this.#writes,
      bodies: this.#bodies,
      server,
      channel,
      committed: this.#fresh.state,
      clock,
      log,
      onCommit,
      onChanged,
    });
    const { query } = this.#reads;
    const alone: Writer['alone'] = (act) => this.#writer.alone(act);
    this.#sweep = objects === null ? null : new ObjectSweep({ objects, query, alone, clock, graceMs: objectGraceMs });
    const others = async () => (await serversOf(query, schema)) - 1;
    const questions = new Questions({ query, channel, server, clock, others });
    this.#limiter = new SharedLimiter(query);
    this.#faults = new SharedFaults({ query, questions, random });
    this.#journal = new SharedJournal({ query, questions, server, clock, log });
    const waits = new SharedWaits(query, questions, server);
    this.#listener = new Listener({
      driver,
      channel,
      server,
      clock,
      log,
      onOpen: (connection) => shareStore(connection, schema),
      onClockError,
      onNote: ({ commit, settings }) => {
        if (settings) void this.#fresh.fresh().catch(() => {});
        // After a time without notifications, the fault rules may have changed.
        if (commit.all) void this.#faults.load().catch(() => {});
        this.#tell(commit);
      },
      onOther: (payload) => questions.hear(payload),
      onAway: () => {
        this.#reads.cut();
        this.#writes.cut();
      },
    });
    this.#leader = new Leader({
      session: new DatabaseSession(driver, 'leader'),
      schema,
      server,
      clock,
      log,
      store: this,
      take: () => this.#writer.takeLead(server),
      leads: () => this.#writer.working.leadership.get('leader')?.server === server,
    });
    this.#sessionOfMutex = new DatabaseSession(driver, 'mutex');
    this.cluster = {
      server,
      mutex: sharedMutex(mutex, this.#sessionOfMutex, schema, clock),
      lead: (start) => this.#leader.lead(start),
      shared: {
        limiter: this.#limiter,
        faults: this.#faults,
        journal: this.#journal,
        views: sharedViews(query, random),
      },
      onAskedForAwaits: (tell) => waits.onAsked(tell),
      awaitsOfOthers: () => waits.ofOthers(),
      others,
      agreeOn: async (name, proposed, instead) => {
        const [row] = await this.#reads.query(AGREE, [name, proposed, instead ?? null]);
        return textColumn(row, 'value');
      },
      secret: async (name) => {
        const [row] = await this.#reads.query(SECRET, [name]);
        return row === undefined ? null : textColumn(row, 'value');
      },
    };
    const { state } = this.#fresh;
    this.read = createReader(state, { query, small: () => this.#fresh.fresh() });
    this.#now = createReader(state, { query, small: async () => state });
    let index = trigrams === 'later' ? null : trigrams;
    this.texts = new PostgresTexts({ query, small: () => this.#fresh.fresh(), index: () => index });
    if (trigrams === 'later')
      void buildIndex(driver, schema, log).then(
        (built) => {
          index = built;
        },
        (error: unknown) =>
          log.warn('the index of the search could not be built: the next start tries again', { error }),
      );
  }

  async readNow(): Promise<Reader> {
    await this.#fresh.fresh();
    return this.#now;
  }

  /** Starts to listen to other servers, and loads the small rows. */
  async start(): Promise<void> {
    await this.#listener.start();
    await this.#fresh.fresh();
    // Fault rules end with the last server, so the first server removes old ones.
    if ((await this.cluster.others()) <= 0) await this.#faults.forget();
    await this.#faults.load();
    this.#leader.start();
  }

  /** Host, port and database, without user and password. */
  get name(): string {
    return this.#driver.name;
  }

  get blobs(): Blobs {
    return this.#bodies;
  }

  get health(): StoreHealth {
    const isThere = this.#listener.isHearing && !this.#writer.isOutcomeUnknown && this.#objects?.isAway !== true;
    return isThere ? 'ok' : 'storage_unavailable';
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed !== null) return Promise.reject(new Error('the store is closed'));
    const uploaded = this.#bodies.uploaded();
    if (uploaded === null) return this.#writer.transaction(body);
    return uploaded.then(() => this.#writer.transaction(body));
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Removes blobs, objects and records that nothing needs any more. PostgreSQL's own vacuum frees the disk. */
  async reclaim(): Promise<void> {
    await this.#bodies.sweep();
    await this.#sweep?.sweep();
    await this.#reads.query(PRUNE, [REMEMBERED_COMMITS]);
    for (const wanted of [FORGET, FORGET_ANSWERS]) await this.#reads.query(wanted);
    await this.#limiter.prune();
    await this.#journal.prune();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#leader.close();
    await this.#bodies.uploaded();
    await this.#writer.idle();
    await this.#limiter.idle();
    await this.#journal.close();
    await this.#fresh.idle();
    await Promise.all([
      this.#listener.close(),
      this.#writes.close(),
      this.#reads.close(),
      this.#sessionOfMutex.close(),
      this.#objects?.close(),
    ]);
  }

  #tell(commit: Commit): void {
    for (const listener of this.#listeners) listener(commit);
  }

  /** Applies a clock offset that another server has set, before any reader returns. */
  #changed(changes: readonly SmallChange[]): void {
    if (changes.some(({ kind }) => kind === 'settings'))
      this.#onClockOffset(this.#fresh.state.settings.get('clockOffsetMs')?.value ?? 0);
  }
}
