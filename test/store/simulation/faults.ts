import type { Disk, DiskFile } from '../../../src/ports/storage.ts';

/** A mistake of a store that a faulty disk can simulate. The suite must find each one. */
export interface Fault {
  readonly name: string;
  readonly put: (disk: Disk) => Disk;
}

/** Mistakes that stores have made, in this project and in others. */
export const FAULTS = [
  { name: 'contents are never synced', put: (disk) => withFiles(disk, (file) => ({ ...file, sync: async () => {} })) },
  {
    name: 'a failed sync is believed',
    put: (disk) => withFiles(disk, (file) => ({ ...file, sync: () => file.sync().catch(() => {}) })),
  },
  {
    name: 'a failed sync is tried again and believed',
    put: (disk) => withFiles(disk, (file) => ({ ...file, sync: () => file.sync().catch(() => file.sync()) })),
  },
  { name: 'a length that was cut is not synced', put: (disk) => withFiles(disk, forgetsCuts) },
  { name: 'the rest of a short write is forgotten', put: (disk) => withFiles(disk, believesInWrites) },
  { name: 'a directory is never synced', put: (disk) => ({ ...portOf(disk), syncDirectory: async () => {} }) },
  { name: 'a removed name is not synced', put: (disk) => forgetsNames(disk, ['unlink']) },
  { name: 'a changed name is not synced', put: (disk) => forgetsNames(disk, ['rename']) },
  { name: 'the name of a new file is not synced', put: (disk) => forgetsNames(disk, ['open', 'link']) },
] as const satisfies readonly Fault[];

/** Binds the methods of a disk, so that some of them can be replaced. */
function portOf(disk: Disk): Disk {
  return {
    makeDirectory: (path) => disk.makeDirectory(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    open: (path, mode) => disk.open(path, mode),
    link: (existing, path) => disk.link(existing, path),
    rename: (from, to) => disk.rename(from, to),
    unlink: (path) => disk.unlink(path),
    removeDirectory: (path) => disk.removeDirectory(path),
    touch: (path, modifiedAt) => disk.touch(path, modifiedAt),
    syncDirectory: (path) => disk.syncDirectory(path),
    space: (path) => disk.space(path),
  };
}

function withFiles(disk: Disk, change: (file: DiskFile) => DiskFile): Disk {
  return { ...portOf(disk), open: async (path, mode) => change(await disk.open(path, mode)) };
}

function forgetsCuts(file: DiskFile): DiskFile {
  let cutLast = false;
  return {
    ...file,
    truncate: (size) => {
      cutLast = true;
      return file.truncate(size);
    },
    write: (parts, position) => {
      cutLast = false;
      return file.write(parts, position);
    },
    sync: async () => {
      if (!cutLast) await file.sync();
    },
  };
}

function believesInWrites(file: DiskFile): DiskFile {
  return {
    ...file,
    write: async (parts, position) => {
      await file.write(parts, position);
      return parts.reduce((sum, { length }) => sum + length, 0);
    },
  };
}

/** Creates a disk that skips the sync of a directory if the last operation on its names was one of these. */
function forgetsNames(disk: Disk, operations: readonly ('unlink' | 'rename' | 'open' | 'link')[]): Disk {
  let last: string | null = null;
  const port = portOf(disk);
  return {
    ...port,
    open: (path, mode) => {
      if (mode === 'replace') last = 'open';
      return disk.open(path, mode);
    },
    link: (existing, path) => {
      last = 'link';
      return disk.link(existing, path);
    },
    rename: (from, to) => {
      last = 'rename';
      return disk.rename(from, to);
    },
    unlink: (path) => {
      last = 'unlink';
      return disk.unlink(path);
    },
    syncDirectory: async (path) => {
      if (!operations.some((operation) => operation === last)) await disk.syncDirectory(path);
    },
  };
}
