import type { ObjectStorage } from '../../ports/storage.ts';
import type { Random } from '../../ports/system.ts';
import type { CopySource, CopyTarget, OpenEnd } from '../copy.ts';
import { isAppendTable, type Put, type Rows, type TableName } from '../tables/state.ts';
import { CommitScope } from '../tables/transactions.ts';
import { Bodies } from './bodies.ts';
import { CommitBatch } from './commit-batch.ts';
import {
  type DatabaseConnection,
  DatabaseRefused,
  type DatabaseRow,
  type Driver,
  nextOf,
  numberColumn,
  parseRow,
  type RunStatement,
  type Statement,
  says,
  statement,
  textColumn,
} from './connection.ts';
import { isUnfinishedCopy, markUnfinished, takeStore, unmarkUnfinished } from './copy-lock.ts';
import { writeNote } from './listener.ts';
import { countMessage } from './messages.ts';
import { knownVersion, MIGRATIONS, migrate, newestVersion } from './migrations.ts';
import { agreeOnStorage, objectRecord, requireMark } from './object-record.ts';
import { StoredObjects } from './objects.ts';
import { sumOf } from './requests.ts';
import { SmallState } from './small-state.ts';

const TABLE = statement('find store', 'select to_regclass($1) is not null as yes');
const EPOCH = statement('epoch of store', 'select epoch::float8 as epoch from head');
const LAST_ID = statement('raise last id', 'update head set last_id = greatest(last_id, $1)');
const SECRETS = statement('all secrets', 'select name, value from secrets');
const PUT_SECRET = statement('put secret', 'insert into secrets (name, value) values ($1, $2)');

/** The secrets that the servers of a database share, by name. */
type SharedSecrets = Readonly<Record<string, string>>;

export interface SourceOptions {
  /** Requires that no server uses the store. */
  readonly isAlone: boolean;
  /** Opens the object storage that holds the bodies, from the URL that the store has on record. */
  readonly openStorage: (url: string) => Promise<ObjectStorage>;
}

/** A store in a database, as the source of a copy. */
interface DatabaseSource extends CopySource {
  readonly secrets: SharedSecrets;
  readonly connection: DatabaseConnection;
  /** The object storage that holds the bodies. Null if the database holds them. */
  readonly objects: StoredObjects | null;
}

/**
 * Opens a store to read one snapshot of it.
 *
 * @throws DatabaseRefused if there is no store, if its schema has another version, or if a server uses it.
 */
export async function openDatabaseSource(
  driver: Driver,
  schema: string,
  { isAlone, openStorage }: SourceOptions,
): Promise<OpenEnd<DatabaseSource>> {
  const connection = await driver.connect('copy');
  let storage: ObjectStorage | null = null;
  try {
    await requireStore(connection, schema);
    if (isAlone && !(await takeStore(connection, schema))) throw inUse(driver);
    if (isAlone && (await isUnfinishedCopy(connection.query)))
      throw new DatabaseRefused(`the store in ${driver.name} is an unfinished copy itself.`);
    await oneMoment(connection);
    const secrets = await connection.query(SECRETS);
    const record = await objectRecord(connection.query);
    if (record !== null) {
      storage = await openStorage(record.url);
      await requireMark(storage, record);
    }
    const objects = record === null || storage === null ? null : new StoredObjects({ storage, store: record.store });
    return {
      end: {
        ...databaseSource(connection.query, objects),
        connection,
        objects,
        secrets: Object.fromEntries(secrets.map((row) => [textColumn(row, 'name'), textColumn(row, 'value')])),
      },
      close: async () => {
        await objects?.close();
        await connection.close();
      },
    };
  } catch (error) {
    await storage?.close();
    await connection.close();
    throw error;
  }
}

/**
 * Creates a store in a database that has none, or only the remains of an interrupted copy.
 *
 * @throws DatabaseRefused if there is a store already.
 */
export async function openDatabaseTarget(
  driver: Driver,
  schema: string,
  { storage, random }: { readonly storage: ObjectStorage | null; readonly random: Random },
): Promise<OpenEnd<DatabaseTarget>> {
  const connection = await driver.connect('copy');
  try {
    if (!(await takeStore(connection, schema))) throw inUse(driver);
    if ((await hasStore(connection, schema)) && (await isUnfinishedCopy(connection.query))) {
      if (storage !== null) await removeObjects(connection, storage);
      await connection.script(`drop schema "${schema}" cascade`);
    }
    await migrate(connection, schema);
    const [head] = await connection.query(EPOCH);
    if (numberColumn(head, 'epoch') > 0)
      throw new DatabaseRefused(
        `there is a store in ${driver.name} already: copy into another database, or drop its schema ${schema} first.`,
      );
    await markUnfinished(connection.query);
    const store = await agreeOnStorage(connection, schema, storage, random);
    const objects = storage === null || store === null ? null : new StoredObjects({ storage, store });
    const server = await nextOf(connection.query, 'servers');
    return databaseTarget({ driver, connection, schema, server, objects });
  } catch (error) {
    if (connection.isOpen) await connection.close();
    throw error;
  }
}

interface TargetParts {
  readonly driver: Driver;
  readonly connection: DatabaseConnection;
  readonly schema: string;
  readonly server: number;
  readonly objects: StoredObjects | null;
}

/** A new store in a database, as the target of a copy. */
interface DatabaseTarget extends CopyTarget {
  /** Stores the secrets that the servers share. */
  putSecrets(secrets: SharedSecrets): Promise<void>;
}

function databaseTarget({ driver, connection, schema, server, objects }: TargetParts): OpenEnd<DatabaseTarget> {
  const small = new SmallState();
  const bodies = new Bodies(connection.query, objects);
  let batches = 0;
  let reading: DatabaseConnection | null = null;
  /** Stores rows as a server does, in one batch of transactions. */
  const write = async (puts: readonly Put[]): Promise<void> => {
    await bodies.uploaded();
    const held = bodies.hold();
    await connection.script('begin');
    await bodies.write(connection, held);
    const batch = new CommitBatch(connection, small, bodies, held);
    await batch.run(async () => {
      for (const put of puts) {
        batch.write(put);
        if (put[1] === 'messages') countMessage(small, batch, put[2]);
      }
    });
    const number = ++batches;
    const payload = writeNote({ server, commit: new CommitScope(), settings: false });
    await batch.finish({ epoch: number, channel: `${schema} commits`, payload, server, number });
    if (batch.failure !== null) throw batch.failure;
    await connection.script('commit');
    bodies.release(batch.referred);
  };
  return {
    end: {
      writer: () => bodies.writer(),
      write,
      seal: async (lastId) => {
        await connection.query(LAST_ID, [lastId]);
        await connection.script('analyze');
      },
      asSource: async () => {
        reading = await driver.connect('copy');
        await oneMoment(reading);
        return databaseSource(reading.query, objects);
      },
      putSecrets: async (secrets) => {
        for (const [name, value] of Object.entries(secrets)) await connection.query(PUT_SECRET, [name, value]);
      },
      finish: async () => {
        // Other stores count what requests hold as they read them. This one keeps the sums.
        const facts = [...small.captured.values()].filter(({ bytes }) => bytes === undefined);
        const sums: Put[] = [];
        for (const one of facts) sums.push(['put', 'captured', { ...one, bytes: await sumOf(connection, one.id) }]);
        if (sums.length > 0) await write(sums);
        await unmarkUnfinished(connection.query);
      },
    },
    close: async () => {
      await reading?.close();
      await objects?.close();
      if (connection.isOpen) await connection.close();
    },
  };
}

/** Removes the objects of an interrupted copy. */
async function removeObjects(connection: DatabaseConnection, storage: ObjectStorage): Promise<void> {
  const record = await objectRecord(connection.query);
  if (record === null) return;
  for await (const page of storage.list(`${record.store}/`)) await storage.remove(page.map(({ key }) => key));
}

function hasStore({ query }: DatabaseConnection, schema: string): Promise<boolean> {
  return says(query, TABLE, [`${schema}.head`]);
}

async function requireStore(connection: DatabaseConnection, schema: string): Promise<void> {
  if (!(await hasStore(connection, schema)))
    throw new DatabaseRefused('the database holds no store of mailcap: name another one.');
  const version = await knownVersion(connection, MIGRATIONS);
  const ours = newestVersion(MIGRATIONS);
  if (version < ours)
    throw new DatabaseRefused(
      `the database has version ${version} of mailcap's schema, and this mailcap needs ${ours}: start a server of this version on it, and stop it.`,
    );
}

/** Begins a transaction that reads one snapshot of the database, taken at its first query. It has no time limit. */
async function oneMoment(connection: DatabaseConnection): Promise<void> {
  await connection.script(
    'set idle_in_transaction_session_timeout = 0; begin isolation level repeatable read read only',
  );
}

function inUse(driver: Driver): DatabaseRefused {
  return new DatabaseRefused(
    `a server or another copy has the store in ${driver.name}: stop every server of it first, with Ctrl-C or SIGTERM.`,
  );
}

const PAGE = 200;

const HEAD = statement('head', 'select last_id from head');
const COUNT_SMALL = statement(
  'count small rows',
  'select count(*)::float8 as count from small_rows where kind = $1 and row is not null',
);
const SMALL = statement(
  'small rows by id',
  'select id, row from small_rows where kind = $1 and row is not null and id > $2 order by id limit $3',
);

/** Returns a store in a database as the source of a copy. All calls of `query` must read the same snapshot. */
function databaseSource(query: RunStatement, objects: StoredObjects | null): CopySource {
  const bodies = new Bodies(query, objects);
  const pageOf = (table: TableName, after: string): Promise<readonly DatabaseRow[]> =>
    isAppendTable(table) ? query(byId(table), [after, PAGE]) : query(SMALL, [table, after, PAGE]);
  return {
    count: async (table) => {
      const [row] = isAppendTable(table) ? await query(counted(table)) : await query(COUNT_SMALL, [table]);
      return numberColumn(row, 'count');
    },
    rows: async function* (table) {
      for (let after = ''; ; ) {
        const page = await pageOf(table, after);
        // The cast is safe: the store writes rows of the table's type.
        for (const row of page) yield ['put', table, parseRow<Rows[typeof table]>(row)] as Put;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = textColumn(last, 'id');
      }
    },
    stream: (ref) => bodies.stream(ref),
    lastId: async () => textColumn((await query(HEAD))[0], 'last_id'),
  };
}

function byId(table: TableName): Statement {
  return statement(`${table} by id`, `select id, row from ${table} where id > $1 order by id limit $2`);
}

function counted(table: TableName): Statement {
  return statement(`count all ${table}`, `select count(*)::float8 as count from ${table}`);
}
