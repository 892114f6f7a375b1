// All file operations of the store use this port. The real disk and the simulated disk of the tests implement it.
// Errors carry the system's `code`: `ENOENT`, `EEXIST`, `ENOSPC`, `EIO` and so on.

/** The metadata of a file. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /**
   * The device and inode. It is equal for the same file under any name, and differs for a later file of the same name.
   */
  readonly identity: string;
  /** The time of the last change in milliseconds, by the file system's clock. */
  readonly modifiedAt: number;
}

/** The free and the total space of a file system, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** An open file. Positions count from its start, in bytes. */
export interface DiskFile {
  /**
   * Reads into `into` from `position`. Returns the number of bytes read. It may be smaller than requested, at the end
   * of the file or anywhere.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes the parts in sequence. Returns the number of bytes written, which may be smaller than requested. */
  write(parts: readonly Uint8Array[], position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  /**
   * Flushes the content and length of the file, so that they survive a power cut. After a failure, nothing written
   * since the last successful sync can be trusted, even if a later sync succeeds.
   */
  sync(): Promise<void>;
  facts(): Promise<FileFacts>;
  close(): Promise<void>;
}

/** The mode to open a file in. `read` and `update` need an existing file; `replace` creates or empties it. */
export type OpenMode = 'read' | 'update' | 'replace';

/** A file system. Changes to names survive a power cut only after `syncDirectory`. */
export interface Disk {
  /** Creates a directory and its missing parents. Only the owner may access them. */
  makeDirectory(path: string): Promise<void>;
  /** Lists the names in a directory, in no order. */
  list(path: string): Promise<string[]>;
  /** Returns the metadata of a file, or null if it does not exist. */
  stat(path: string): Promise<FileFacts | null>;
  /** Opens a file. Only the owner may access a new file. */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Gives a file a second name. Fails with `EEXIST` if the name exists. */
  link(existing: string, path: string): Promise<void>;
  /** Renames a file. It replaces a file that already has the new name. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Removes an empty directory. */
  removeDirectory(path: string): Promise<void>;
  /** Sets a file's time of modification. */
  touch(path: string, modifiedAt: number): Promise<void>;
  /** Flushes the names in a directory, so that created, renamed and removed files survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  space(path: string): Promise<DiskSpace>;
}
