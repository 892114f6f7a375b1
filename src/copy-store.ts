import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from './adapters/console-log.ts';
import {
  type Credentials,
  openDataDir,
  readCredentials,
  refusePlanted,
  writeCredentials,
} from './adapters/data-dir.ts';
import { DirectoryLocked, type Lock, lockDirectory } from './adapters/directory-lock.ts';
import { nodeRandom, systemClock } from './adapters/system.ts';
import type { StorePlace } from './config/checks.ts';
import { databaseName, whyNoDatabase, whyNotOpened } from './config/start-error.ts';
import { UserError } from './config/user-error.ts';
import { makeDirectory } from './make-directory.ts';
import { openStorage } from './open-store.ts';
import type { S3Place } from './ports/storage.ts';
import {
  type CopiedRows,
  CopyDiffers,
  type CopySource,
  type CopyTarget,
  copyStore,
  countRows,
  type OpenEnd,
} from './store/copy.ts';

export type { CopiedRows } from './store/copy.ts';

export interface CopyProgress {
  /** Sets the total number of steps. Each row takes two: it is written, and read back. */
  expect(steps: number): void;
  add(steps: number): void;
}

/** The S3 buckets that hold the bodies of stores in PostgreSQL. */
export interface CopyBlobs {
  /** The bucket for the bodies of the copy. Null means that its database holds them. */
  readonly to: S3Place | null;
  /** Returns the bucket of the source. Its database stores the URL. */
  readonly placeOf: (url: string) => S3Place;
}

/** The interval in milliseconds at which the lock of a directory is renewed. */
const RENEW_MS = 30_000;

type Source = OpenEnd<CopySource> & { readonly credentials: Credentials };
type Target = OpenEnd<CopyTarget> & { keep(credentials: Credentials): Promise<void> };

/**
 * Copies a whole store that no server uses into an empty place, and verifies the copy. Throws a UserError if that is
 * impossible. An interrupted copy leaves a target on which no server starts.
 */
export async function copyWholeStore(
  from: StorePlace,
  to: StorePlace,
  blobs: CopyBlobs,
  progress: CopyProgress,
): Promise<CopiedRows> {
  const source = await openSource(from, blobs);
  try {
    const target = await openTarget(to, blobs);
    try {
      progress.expect(2 * (await countRows(source.end)));
      await target.keep(source.credentials);
      return await copyStore(source.end, target.end, (rows) => progress.add(rows));
    } catch (error) {
      throw explained(error, from, to);
    } finally {
      await target.close().catch(() => {});
    }
  } finally {
    await source.close().catch(() => {});
  }
}

async function openSource(place: StorePlace, { placeOf }: CopyBlobs): Promise<Source> {
  if (place.kind === 'postgres') {
    const { url } = place;
    return fromDatabase(url, async () => {
      const { pgDriver, openDatabaseSource, SCHEMA } = await database();
      const opened = await openDatabaseSource(await pgDriver(url, SCHEMA, databaseName(url)), SCHEMA, {
        isAlone: true,
        openStorage: async (bucket) => openStorage(placeOf(bucket)),
      });
      return { ...opened, credentials: known(opened.end.secrets) };
    });
  }
  const directory = storeDirectory(place);
  const { lookInto, openFileSource } = await import('./store/file/copy-ends.ts');
  const found = existsSync(directory) ? await lookInto(directory) : null;
  if (!found?.holdsStore) throw new UserError(`${place.path} holds no mailcap store: name a data directory.`);
  if (found.isUnfinished)
    throw new UserError(`the store in ${directory} is an unfinished copy: copy from the original store.`);
  try {
    refusePlanted(directory);
  } catch (error) {
    throw whyNotOpened(error, directory, 'dataDir');
  }
  return locked(directory, async () => {
    const opened = await openFileSource(directory);
    const credentials = place.kind === 'data directory' ? readCredentials(place.path, createLog('warn').warn) : {};
    return { ...opened, credentials };
  });
}

async function openTarget(place: StorePlace, blobs: CopyBlobs): Promise<Target> {
  if (place.kind === 'postgres') {
    const { url } = place;
    return fromDatabase(url, async () => {
      const { pgDriver, openDatabaseTarget, SCHEMA } = await database();
      const driver = await pgDriver(url, SCHEMA, databaseName(url));
      const storage = blobs.to === null ? null : await openStorage(blobs.to);
      const opened = await openDatabaseTarget(driver, SCHEMA, { storage, random: nodeRandom }).catch(
        async (error: unknown) => {
          await storage?.close();
          throw error;
        },
      );
      return { ...opened, keep: (credentials) => opened.end.putSecrets(known(credentials)) };
    });
  }
  const directory = storeDirectory(place);
  const { lookInto, openFileTarget } = await import('./store/file/copy-ends.ts');
  try {
    if (place.kind === 'data directory') openDataDir(place.path, true);
    makeDirectory(directory, 0o700);
    refusePlanted(directory);
  } catch (error) {
    throw whyNotOpened(error, directory, 'dataDir');
  }
  const { holdsStore, isUnfinished } = await lookInto(directory);
  if (!isUnfinished) refuseFull(directory, holdsStore);
  return locked(directory, async () => {
    const opened = await openFileTarget(directory, createLog('warn'));
    const keep = async (credentials: Credentials) => {
      if (place.kind !== 'data directory' || Object.keys(credentials).length === 0) return;
      writeCredentials(openDataDir(place.path, true), credentials);
    };
    return { ...opened, keep };
  });
}

/** Leaves out credentials that are undefined. */
function known({ apiKey, adminToken }: { readonly apiKey?: string; readonly adminToken?: string }) {
  return { ...(apiKey === undefined ? {} : { apiKey }), ...(adminToken === undefined ? {} : { adminToken }) };
}

function refuseFull(directory: string, holdsStore: boolean): void {
  if (holdsStore)
    throw new UserError(`there is a store in ${directory} already: copy into another directory, or remove it first.`);
  const others = readdirSync(directory).filter((name) => !/^(lock|\.gitignore)/.test(name));
  if (others.length > 0) throw new UserError(`${directory} is not empty: copy into another directory.`);
}

/** Opens something in a directory under its lock, and renews the lock meanwhile. */
async function locked<Opened extends OpenEnd<unknown>>(
  directory: string,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    const lock = await lockDirectory(directory);
    const stop = renewing(lock);
    try {
      const opened = await open();
      return {
        ...opened,
        close: async () => {
          stop();
          await opened.close();
          lock.release();
        },
      };
    } catch (error) {
      stop();
      lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof DirectoryLocked)
      throw new UserError(`a server uses the store in ${directory}: stop it first, with Ctrl-C or SIGTERM.`, 1, {
        cause: error,
      });
    throw whyNotOpened(error, directory, 'store');
  }
}

/** Renews a lock until the returned function is called. */
function renewing(lock: Lock): () => void {
  const clock = systemClock();
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(RENEW_MS, () => {
      lock.renew();
      next();
    });
  };
  next();
  return () => cancel();
}

async function fromDatabase<Opened>(url: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw whyNoDatabase(error, databaseName(url));
  }
}

async function database() {
  const [{ pgDriver }, { openDatabaseSource, openDatabaseTarget }, { SCHEMA }] = await Promise.all([
    import('./store/postgres/pg-driver.ts'),
    import('./store/postgres/copy-ends.ts'),
    import('./store/postgres/store.ts'),
  ]);
  return { pgDriver, SCHEMA, openDatabaseSource, openDatabaseTarget };
}

function storeDirectory(place: Exclude<StorePlace, { kind: 'postgres' }>): string {
  return place.kind === 'directory' ? place.path : join(place.path, 'store');
}

/** Explains an error in the middle of a copy. */
function explained(error: unknown, from: StorePlace, to: StorePlace): unknown {
  if (error instanceof UserError) return error;
  const again = 'the copy is unfinished: run the command again; it starts from the beginning.';
  if (error instanceof CopyDiffers) return new UserError(error.message, 1, { cause: error });
  const why = to.kind === 'postgres' || from.kind === 'postgres' ? whyNoDatabase(error, 'the database') : error;
  const said = why instanceof Error ? why.message : String(why);
  return new UserError(`${said.replace(/[.:]?$/, '')}: ${again}`, 1, { cause: error });
}
