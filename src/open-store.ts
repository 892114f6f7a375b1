import { existsSync } from 'node:fs';
import { refusePlanted } from './adapters/data-dir.ts';
import { type Lock, lockDirectory } from './adapters/directory-lock.ts';
import { createKeyedMutex, singleServer } from './adapters/single-server.ts';
import type { Config } from './config/options.ts';
import { readS3Place } from './config/s3-place.ts';
import { databaseName, whyNoDatabase, whyNotOpened } from './config/start-error.ts';
import { makeDirectory } from './make-directory.ts';
import type { Cluster } from './ports/server.ts';
import type { ObjectStorage, S3Place } from './ports/storage.ts';
import type { Store } from './ports/store.ts';
import type { Clock, Log, Random } from './ports/system.ts';
import { bootId } from './process-start.ts';
import type { StoreVerification } from './store/file/verify.ts';
import { memoryStore } from './store/memory.ts';
import type { VerifiedDatabase } from './store/postgres/verify.ts';

/** An open store, and what it shares with other servers. */
interface Opened {
  readonly store: Store;
  readonly cluster: Cluster;
}

/** Opens the store of a configuration. Throws a UserError if the store can't be used. */
export async function openStore(config: Config, clock: Clock, random: Random, log: Log): Promise<Opened> {
  if (config.store.kind === 'postgres') return openDatabase(config.store.url, config, { clock, random, log });
  const store =
    config.store.kind === 'memory' ? memoryStore(log) : await openFiles(config, config.store.directory, clock, log);
  return { store, cluster: singleServer(store) };
}

async function openDatabase(
  url: string,
  { storePool: sessions, storeBlobs, aws }: Config,
  { clock, random, log }: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Promise<Opened> {
  const { pgDriver } = await import('./store/postgres/pg-driver.ts');
  const { openPostgresStore, SCHEMA } = await import('./store/postgres/store.ts');
  let storage: ObjectStorage | null = null;
  try {
    storage = storeBlobs === null ? null : await openStorage(readS3Place(storeBlobs, aws));
    const driver = await pgDriver(url, SCHEMA, databaseName(url));
    const onClockOffset = (offsetMs: number) => clock.setOffsetMs(offsetMs);
    const onClockError = (byMs: number) => clock.follow(byMs);
    const mutex = createKeyedMutex();
    const options = { driver, sessions, clock, random, mutex, storage, onClockOffset, onClockError };
    const store = await openPostgresStore(options, log);
    log.info('the store is a PostgreSQL database', { store: driver.name, server: store.server });
    return { store, cluster: store.cluster };
  } catch (error) {
    await storage?.close();
    throw whyNoDatabase(error, databaseName(url));
  }
}

/** Opens the S3 bucket that holds the bodies of a store in PostgreSQL. */
export async function openStorage(place: S3Place): Promise<ObjectStorage> {
  const { s3Storage } = await import('./adapters/s3-storage.ts');
  return s3Storage(place);
}

async function openFiles(config: Config, directory: string, clock: Clock, log: Log): Promise<Store> {
  const { openFileStore, makeRoomIn } = await import('./store/file/store.ts');
  const { nodeDisk } = await import('./store/disk/node-disk.ts');
  const { refuseUnfinished } = await import('./store/file/copy-mark.ts');
  let lock: Lock | null = null;
  try {
    makeDirectory(directory, 0o700);
    refusePlanted(directory);
    lock = await lockDirectory(directory).catch(async (error: unknown) => {
      // A full disk has no room for a lock file. The store gives up its reserve first.
      if (!(await makeRoomIn(directory, error))) throw error;
      return lockDirectory(directory);
    });
    await refuseUnfinished(nodeDisk, directory);
    return await openFileStore({ directory, durability: config.durability, lock, clock, boot: bootId() }, log);
  } catch (error) {
    lock?.release();
    throw whyNotOpened(error, directory, config.given.has('store') ? 'store' : 'dataDir');
  }
}

/**
 * Verifies every byte of the store in a directory that no server uses. Returns null if there is no store.
 *
 * @throws DirectoryLocked if a server uses the directory, PlantedFile if mailcap did not make all that is in it.
 */
export async function verifyDirectory(directory: string): Promise<StoreVerification | null> {
  if (!existsSync(directory)) return null;
  const { nodeDisk } = await import('./store/disk/node-disk.ts');
  const { verifyStore } = await import('./store/file/verify.ts');
  refusePlanted(directory);
  const lock = await lockDirectory(directory);
  try {
    return await verifyStore(nodeDisk, directory);
  } finally {
    lock.release();
  }
}

/**
 * Verifies the store in a database as of one moment. `placeOf` finds the bucket of its bodies by the URL on record.
 * Throws a UserError if the store can't be read.
 */
export async function verifyDatabaseAt(url: string, placeOf: (url: string) => S3Place): Promise<VerifiedDatabase> {
  const { pgDriver } = await import('./store/postgres/pg-driver.ts');
  const { SCHEMA } = await import('./store/postgres/store.ts');
  const { verifyDatabase } = await import('./store/postgres/verify.ts');
  try {
    const driver = await pgDriver(url, SCHEMA, databaseName(url));
    return await verifyDatabase(driver, SCHEMA, async (blobs) => openStorage(placeOf(blobs)));
  } catch (error) {
    throw whyNoDatabase(error, databaseName(url));
  }
}
