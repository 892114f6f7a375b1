import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log as Logger } from '../../ports/log.ts';
import type { CopySource, CopyTarget } from '../copy/copy-end.ts';
import type { Put, TableName } from '../tables/state.ts';
import { markUnfinished, unmarkUnfinished } from './copy-mark.ts';
import { type FileStore, openWhole } from './store.ts';
import { StoreRefused } from './store-refused.ts';

/** The names of what a store has in its directory, apart from its lock. */
const OF_THE_STORE = /^(segments|state\.json|state\.copy\.json)(\..*)?$/;

/** Tells whether a directory holds anything of a store. */
export function holdsStore(directory: string): boolean {
  return readdirSync(directory).some((name) => OF_THE_STORE.test(name) || name === 'log');
}

/** An open store in files, as one end of a copy. */
export interface FileEnd<End> {
  readonly end: End;
  close(): Promise<void>;
}

/**
 * Opens a store that no server uses, to copy it. The caller holds the directory's lock.
 *
 * @throws StoreRefused if it is damaged, because a copy of it would hide that.
 */
export async function openFileSource(directory: string): Promise<FileEnd<CopySource>> {
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

/** Begins a store in a directory that has none, or only the remains of an interrupted copy. */
export async function openFileTarget(directory: string, logger: Logger): Promise<FileEnd<CopyTarget>> {
  markUnfinished(directory);
  for (const name of readdirSync(directory))
    if (OF_THE_STORE.test(name)) rmSync(join(directory, name), { recursive: true });
  const open = () => openWhole({ directory, durability: 'fsync' }, logger);
  let fileStore = await open();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await fileStore.close();
    isOpen = false;
  };
  const end: CopyTarget = {
    writer: () => fileStore.log.writer(),
    write: (puts) => fileStore.store.rewrite(() => puts),
    seal: async () => {},
    asSource: async () => {
      // What is read from now on is what the next start reads.
      await close();
      fileStore = await open();
      isOpen = true;
      return sourceOf(fileStore);
    },
    finish: async () => {
      await close();
      unmarkUnfinished(directory);
    },
  };
  return { end, close };
}

function sourceOf({ rows, log }: FileStore): CopySource {
  return {
    count: async (table) => (table === 'messages' ? rows.messages.size : [...rows.puts(table)].length),
    rows: (table) => sorted(rows, table),
    stream: (ref) => log.stream(ref),
    lastId: async () => rows.newestFeedId,
  };
}

/** Yields rows by id. Only the messages may be too many to sort, and they are in order. */
async function* sorted(rows: FileStore['rows'], table: TableName): AsyncGenerator<Put> {
  if (table === 'messages') yield* rows.puts(table);
  else yield* [...rows.puts(table)].sort((one, other) => (one[2].id < other[2].id ? -1 : 1));
}
