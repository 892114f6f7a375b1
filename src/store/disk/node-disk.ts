import { type BigIntStats, constants } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  stat,
  statfs,
  unlink,
  utimes,
} from 'node:fs/promises';
import type { Disk, DiskFile, FileFacts, OpenMode } from '../../ports/disk.ts';

const OWNER_FILE = 0o600;
const OWNER_DIRECTORY = 0o700;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  replace: constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
};

/** The file system of this machine. No other file of the store uses it. */
export const nodeDisk: Disk = {
  makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: OWNER_DIRECTORY })),
  list: (path) => readdir(path),
  stat: async (path) => {
    try {
      return factsOf(await stat(path, { bigint: true }));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  open: async (path, mode) => nodeFile(await open(path, FLAGS[mode], OWNER_FILE)),
  link: (existing, path) => link(existing, path),
  rename: (from, to) => rename(from, to),
  unlink: (path) => unlink(path),
  removeDirectory: (path) => rmdir(path),
  touch: (path, modifiedAt) => utimes(path, modifiedAt / 1_000, modifiedAt / 1_000),
  syncDirectory: async (path) => {
    // Windows cannot open a directory. Its rename is as durable as it can be there.
    if (process.platform === 'win32') return;
    const handle = await open(path, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  space: async (path) => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};

function nodeFile(handle: FileHandle): DiskFile {
  return {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (parts, position) => (await handle.writev(parts, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    sync: () => handle.datasync(),
    facts: async () => factsOf(await handle.stat({ bigint: true })),
    close: () => handle.close(),
  };
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
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
