import { type BigIntStats, constants, fdatasync, fsync } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  statfs,
  unlink,
} from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Disk, DiskFile, FileFacts, OpenMode } from '../../ports/storage.ts';
import { errorCode } from '../../text/unknown.ts';

const OWNER_FILE = 0o600;
const OWNER_DIRECTORY = 0o700;

// A link among the files of a store was made by somebody else, and leads to a file of somebody else. Opening a pipe would
// wait for its writer. Windows has neither flag.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  // The file is emptied once it is known to be a plain one.
  replace: constants.O_RDWR | constants.O_CREAT,
};

/**
 * The file system of this machine. No other file of the store uses it. It opens plain files alone, and follows a link
 * only on the way to a directory.
 */
export const nodeDisk: Disk = {
  makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: OWNER_DIRECTORY })),
  list: (path) => readdir(path),
  stat: async (path) => {
    try {
      return factsOf(await lstat(path, { bigint: true }));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  open: openPlain,
  link: (existing, path) => link(existing, path),
  rename: (from, to) => rename(from, to),
  unlink: (path) => unlink(path),
  removeDirectory: (path) => rmdir(path),
  touch: (path, modifiedAt) => lutimes(path, modifiedAt / 1_000, modifiedAt / 1_000),
  syncDirectory: async (path) => {
    // Windows cannot open a directory. Its rename is as durable as it can be there.
    if (process.platform === 'win32') return;
    const handle = await open(path, constants.O_RDONLY);
    try {
      await syncBy('sync', handle);
    } finally {
      await handle.close();
    }
  },
  space: async (path) => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};

async function openPlain(path: string, mode: OpenMode): Promise<DiskFile> {
  const handle = await open(path, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, OWNER_FILE);
  try {
    const about = await handle.stat();
    if (!about.isFile() && !about.isDirectory()) throw notPlain(path);
    if (mode === 'replace' && about.size > 0) await handle.truncate(0);
    return nodeFile(handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function notPlain(path: string): Error {
  return Object.assign(new Error(`${path} is no plain file`), { code: 'EINVAL', path });
}

function nodeFile(handle: FileHandle): DiskFile {
  return {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (parts, position) => (await handle.writev(parts, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    sync: () => syncBy('datasync', handle),
    facts: async () => factsOf(await handle.stat({ bigint: true })),
    close: () => handle.close(),
  };
}

const HAS_PNP = process.versions['pnp'] !== undefined;
const byNumber = { sync: promisify(fsync), datasync: promisify(fdatasync) };

/**
 * Syncs a file. A close waits for the sync of a handle, and not for one by the number of the file, which is for the
 * handles of Yarn's Plug'n'Play: these have no sync of their own.
 */
async function syncBy(call: 'sync' | 'datasync', handle: FileHandle): Promise<void> {
  if (!HAS_PNP) return handle[call]();
  if (handle.fd < 0) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' });
  await byNumber[call](handle.fd);
}

function factsOf(stats: BigIntStats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
    size: Number(stats.size),
    identity: `${stats.dev}.${stats.ino}`,
    modifiedAt: Number(stats.mtimeMs),
  };
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
