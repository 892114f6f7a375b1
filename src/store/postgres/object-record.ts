import { ObjectMissing, type ObjectStorage } from '../../ports/object-storage.ts';
import type { Random } from '../../ports/random.ts';
import { type DatabaseConnection, type RunStatement, statement, textColumn } from './connection.ts';
import { giveStore, takeStore } from './copy-lock.ts';
import { DatabaseRefused } from './database-refused.ts';
import { markOf } from './object-keys.ts';

const RECORD = statement('object storage', 'select store, url from object_storage');
const KEEP = statement(
  'keep object storage',
  `insert into object_storage (store, url) values ($1, $2)
   on conflict (one) do update set store = excluded.store, url = excluded.url`,
);

/** The record of where the bodies of a store are. */
export interface ObjectRecord {
  /** The first part of the keys. No other store has it. */
  readonly store: string;
  readonly url: string;
}

/** Returns where the bodies of a store are. Null means in the database. */
export async function objectRecord(query: RunStatement): Promise<ObjectRecord | null> {
  const [row] = await query(RECORD);
  return row === undefined ? null : { store: textColumn(row, 'store'), url: textColumn(row, 'url') };
}

/**
 * Checks that the storage is the one that has the bodies of this store. The first server with a storage begins it: from
 * then on no server may have the store without it. Returns the first part of the keys, or null without a storage.
 *
 * The caller makes sure that servers that start together come one after the other.
 *
 * @throws DatabaseRefused if it is another one, if it is missing, or if servers have the store without one.
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
 * @throws DatabaseRefused if not.
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

/** Returns the error for a store whose bodies are in a storage that nobody named. */
export function withoutStorage({ url }: ObjectRecord): DatabaseRefused {
  return new DatabaseRefused(`the bodies of this store are in ${url}: name it with --store-blobs.`);
}
