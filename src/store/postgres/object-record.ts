import { ObjectMissing, type ObjectStorage } from '../../ports/storage.ts';
import type { Random } from '../../ports/system.ts';
import { type DatabaseConnection, DatabaseRefused, type RunStatement, statement, textColumn } from './connection.ts';
import { giveStore, takeStore } from './copy-lock.ts';
import { markOf } from './objects.ts';

const RECORD = statement('object storage', 'select store, url from object_storage');
const KEEP = statement(
  'keep object storage',
  `insert into object_storage (store, url) values ($1, $2)
   on conflict (one) do update set store = excluded.store, url = excluded.url`,
);

/** The object storage that holds the bodies of a store, as its database has it on record. */
export interface ObjectRecord {
  /** The first part of the keys, which identifies the store. */
  readonly store: string;
  readonly url: string;
}

/** Returns the object storage of a store. Null means that the bodies are in the database. */
export async function objectRecord(query: RunStatement): Promise<ObjectRecord | null> {
  const [row] = await query(RECORD);
  return row === undefined ? null : { store: textColumn(row, 'store'), url: textColumn(row, 'url') };
}

/**
 * Checks that the storage holds the bodies of this store. The first server with a storage puts it on record: from then
 * on no server may use the store without it. Returns the first part of the keys, or null without a storage.
 *
 * The caller must make sure that only one server runs it at a time.
 *
 * @throws DatabaseRefused if the store has another storage, if it has one and `storage` is null, or if servers use the
 * store without one.
 */
export async function agreeOnStorage(
  connection: DatabaseConnection,
  schema: string,
  storage: ObjectStorage | null,
  random: Random,
): Promise<string | null> {
  const record = await objectRecord(connection.query);
  if (storage === null) {
    if (record !== null) throw withoutStorage(record);
    return null;
  }
  if (record !== null) {
    await requireMark(storage, record);
    if (record.url !== storage.url) await connection.query(KEEP, [record.store, storage.url]);
    return record.store;
  }
  if (!(await takeStore(connection, schema)))
    throw new DatabaseRefused(
      'a server has the store of this database without --store-blobs: stop all of them, and start them with it.',
    );
  try {
    const store = Buffer.from(random.bytes(12)).toString('hex');
    await storage.put(markOf(store), Buffer.from(store));
    await connection.query(KEEP, [store, storage.url]);
    return store;
  } finally {
    await giveStore(connection, schema);
  }
}

/**
 * Checks that a storage has the bodies of a store.
 *
 * @throws DatabaseRefused if the storage lacks the store's mark.
 */
export async function requireMark(storage: ObjectStorage, { store, url }: ObjectRecord): Promise<void> {
  try {
    await storage.get(markOf(store));
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    throw new DatabaseRefused(
      `the bodies of this store were in ${url}, and ${storage.url} has none of them: correct --store-blobs.`,
      { cause: error },
    );
  }
}

/** Returns the error for a store whose bodies are in an object storage when the options name none. */
export function withoutStorage({ url }: ObjectRecord): DatabaseRefused {
  return new DatabaseRefused(`the bodies of this store are in ${url}: name it with --store-blobs.`);
}
