import { join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import type { Log as Logger } from '../../ports/system.ts';
import type { CopySource, CopyTarget, OpenEnd } from '../copy.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { Put, TableName } from '../tables/state.ts';
import { isUnfinishedCopy, markUnfinished, unmarkUnfinished } from './copy-mark.ts';
import { StoreRefused } from './errors.ts';
import { type FileStore, openWhole } from './store.ts';

/** The names of the files and directories of a store, except its lock. */
const OF_THE_STORE = /^(segments|texts|state\.json|state\.copy\.json)(\..*)?$/;

/** The state of a directory before it becomes the source or the target of a copy. */
export interface CopyEndState {
  /** Tells whether the directory holds any file of a store. */
  readonly holdsStore: boolean;
  /** Tells whether it is the unfinished target of a copy. */
  readonly isUnfinished: boolean;
}

/** Returns the state of an existing directory. */
export async function lookInto(directory: string): Promise<CopyEndState> {
  const names = await nodeDisk.list(directory);
  return {
    holdsStore: names.some((name) => OF_THE_STORE.test(name) || name === 'log'),
    isUnfinished: await isUnfinishedCopy(nodeDisk, directory),
  };
}

/**
 * Opens a store that no server uses as the source of a copy. The caller must hold the directory's lock.
 *
 * @throws StoreRefused if the store is damaged, because a copy would hide the damage.
 */
export async function openFileSource(directory: string): Promise<OpenEnd<CopySource>> {
  const damages: string[] = [];
  const tell = (said: string) => void damages.push(said);
  const logger: Logger = { error: tell, warn() {}, info() {}, debug() {} };
  const fileStore = await openWhole({ directory, durability: 'fsync' }, logger);
  const [damage] = damages;
  if (damage !== undefined) {
    await fileStore.close();
    throw new StoreRefused(`${damage}. Only a whole store is copied: \`mailcap doctor\` tells all that is damaged.`);
  }
  return { end: sourceOf(fileStore), close: () => fileStore.close() };
}

/** Creates a store in a directory that has none, or only the remains of an interrupted copy. */
export async function openFileTarget(directory: string, logger: Logger): Promise<OpenEnd<CopyTarget>> {
  await markUnfinished(nodeDisk, directory);
  for (const name of await nodeDisk.list(directory))
    if (OF_THE_STORE.test(name)) await empty(nodeDisk, join(directory, name));
  await nodeDisk.syncDirectory(directory);
  const open = () => openWhole({ directory, durability: 'fsync' }, logger);
  let fileStore = await open();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await fileStore.close();
    isOpen = false;
  };
  const end: CopyTarget = {
    writer: () => fileStore.blobs.writer(),
    write: (puts) => fileStore.log.rewrite(() => puts),
    seal: async () => {},
    asSource: async () => {
      // The copy is closed and opened again, so that it is read as the next start reads it.
      await close();
      fileStore = await open();
      isOpen = true;
      return sourceOf(fileStore);
    },
    finish: async () => {
      await close();
      await unmarkUnfinished(nodeDisk, directory);
    },
  };
  return { end, close };
}

/** Removes a file of the store, or all files in a directory of the store. */
async function empty(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path))?.kind !== 'directory') return disk.unlink(path);
  for (const name of await disk.list(path)) await disk.unlink(join(path, name));
  await disk.syncDirectory(path);
}

function sourceOf({ rows, blobs }: FileStore): CopySource {
  return {
    count: async (table) => (table === 'messages' ? rows.messages.size : [...rows.puts(table)].length),
    rows: (table) => sorted(rows, table),
    stream: (ref) => blobs.stream(ref),
    lastId: async () => rows.newestFeedId,
  };
}

/**
 * Yields rows in the order of their ids. Only messages may be too many to sort in memory, and they are in order
 * already.
 */
async function* sorted(rows: FileStore['rows'], table: TableName): AsyncGenerator<Put> {
  if (table === 'messages') yield* rows.puts(table);
  else yield* [...rows.puts(table)].sort((one, other) => (one[2].id < other[2].id ? -1 : 1));
}
