import type { MailboxId, WorkspaceId } from '../domain/ids.ts';
import type { SmtpRefusalFacts, SmtpStage } from '../domain/smtp.ts';

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

/** The mailbox that a journal entry concerns. */
export interface MailboxRef {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
}

/** One SMTP connection. Its fields change while it lasts. Long texts are cut. */
export interface SmtpConnection {
  /** In real time, like every time of the journal. */
  readonly openedAt: number;
  readonly clientAddress: string;
  readonly clientPort: number;
  closedAt: number | null;
  helo: string | null;
  user: string | null;
  /**
   * `asked` without `up`: the client left in the handshake. `refused`: it asked and was refused. `missed`: it left right
   * after EHLO, where STARTTLS was not offered.
   */
  tls: 'unused' | 'missed' | 'refused' | 'asked' | 'up';
  /** The last stage that succeeded. Null before the greeting. */
  reached: SmtpStage | null;
  /** The number of accepted mails. */
  accepted: number;
  lastRefusal: string | null;
  /** The mailbox of the last recipient or of the sign-in. Null if there is none. */
  concerns: MailboxRef | null;
  /** The dialogue with `C: ` and `S: ` lines, without secrets. A long one keeps only its beginning and its end. */
  readonly transcript: { lines(): readonly string[] };
}

/** A command or mail that the SMTP server refused. */
export interface SmtpRefusal extends SmtpRefusalFacts {
  readonly at: number;
  readonly concerns: MailboxRef | null;
}

/**
 * The recent SMTP activity of all servers of the store, for a diagnosis of missing mail. New entries replace the
 * oldest.
 */
export interface SmtpJournal {
  opened(connection: SmtpConnection): void;
  /** Reports that a connection has ended and that its fields will not change again. */
  closed(connection: SmtpConnection): void;
  refused(refusal: SmtpRefusal): void;
  /** Newest first. */
  connections(): Promise<readonly SmtpConnection[]>;
  /** Newest first. */
  refusals(): Promise<readonly SmtpRefusal[]>;
  /** The maximum number of entries of each kind. A full journal may have dropped older ones. */
  readonly capacity: number;
  clear(): Promise<void>;
}

/** The number of entries that a journal keeps of each kind. */
export const JOURNAL_CAPACITY = 200;

/** A range of an object. `start` counts from 0; both fields are in bytes. */
export interface ObjectRange {
  readonly start: number;
  readonly length: number;
}

export interface ListedObject {
  readonly key: string;
  /** The age of the object in milliseconds, by the storage's own clock. */
  readonly ageMs: number;
}

/**
 * A bucket of an object storage. Objects never change: a key is written once, or again with the same bytes. Every
 * method except `close` rejects with {@link ObjectStorageAway} if the storage can't be reached, refuses the request or
 * fails.
 */
export interface ObjectStorage {
  /** The URL of the bucket without credentials, for messages and for the record in the database. */
  readonly url: string;
  /** Writes an object. Once it resolves, the object is durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object, or exactly the bytes of `range`. Throws {@link ObjectMissing}. */
  get(key: string, range?: ObjectRange): Promise<Buffer>;
  /** Removes objects. A missing object counts as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Lists the objects whose keys begin with a prefix, page by page. */
  list(prefix: string): AsyncIterable<readonly ListedObject[]>;
  /** Closes the connections to the storage. */
  close(): Promise<void>;
}

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(url: string, key: string) {
    super(`the object ${key} is missing in ${url}`);
  }
}

/** The error for a storage that can't be reached, refuses a request or fails. */
export class ObjectStorageAway extends Error {
  override readonly name = 'ObjectStorageAway';
}

/** The location of a bucket, the prefix in it, and the credentials. */
export interface S3Place {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The first part of each key: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The URL without credentials, with its endpoint and its region. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}
