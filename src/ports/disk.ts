// Every file operation of the store goes through this port: the real disk and the simulated one of the tests are its
// implementations. Failures are errors with a `code` of the system's (`ENOENT`, `EEXIST`, `ENOSPC`, `EIO` ...).

/** Facts about a file that are known without reading it. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /** Equal for the same file, however it is reached: device and inode. A file of the same name made later has another. */
  readonly identity: string;
  /** Milliseconds, by the clock of the file system. */
  readonly modifiedAt: number;
}

/** Free and total room of a file system, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** A file that is open. Positions are absolute. */
export interface DiskFile {
  /** Reads into `into` from `position`. Returns how many bytes it read: fewer than asked at the end, and whenever the system gives fewer. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes the parts one behind the other. Returns how many bytes were written: fewer than given whenever the system takes fewer. */
  write(parts: readonly Uint8Array[], position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  /**
   * Makes the content and the length of this file survive a power cut. After a failure nothing written since the last
   * successful sync is known to be on the disk, also when a later sync succeeds.
   */
  sync(): Promise<void>;
  facts(): Promise<FileFacts>;
  close(): Promise<void>;
}

/** `read` and `update` need the file to exist; `replace` makes it, or empties it. */
export type OpenMode = 'read' | 'update' | 'replace';

/** A file system. Names survive a power cut only after `syncDirectory`. */
export interface Disk {
  /** Makes a directory, for its owner alone, with the parents that are missing. */
  makeDirectory(path: string): Promise<void>;
  /** The names in a directory, in no order. */
  list(path: string): Promise<string[]>;
  /** Null where there is nothing of that name. */
  stat(path: string): Promise<FileFacts | null>;
  /** Opens a file; a new one is for its owner alone. */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Gives a file a second name. Fails with `EEXIST` where the name is taken. */
  link(existing: string, path: string): Promise<void>;
  /** Renames a file; one that had the new name is gone. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Removes a directory that is empty. */
  removeDirectory(path: string): Promise<void>;
  /** Sets a file's time of modification. */
  touch(path: string, modifiedAt: number): Promise<void>;
  /** Makes the names in a directory survive a power cut: those made, renamed and removed. */
  syncDirectory(path: string): Promise<void>;
  space(path: string): Promise<DiskSpace>;
}
