import type { BlobRef } from '../../domain/message.ts';
import type { BlobWriter } from '../../ports/store.ts';
import type { Put, TableName } from '../tables/state.ts';

/** The source of a copy: a store to which nobody writes. */
export interface CopySource {
  /** Returns the number of rows of a table. */
  count(table: TableName): Promise<number>;
  /** Yields the rows of a table in the order of their ids. */
  rows(table: TableName): AsyncIterable<Put>;
  stream(ref: BlobRef): AsyncIterable<Buffer>;
  /** Returns the newest id that the feed ever had, or '' if it had none. */
  lastId(): Promise<string>;
}

/**
 * The target of a copy: an empty store that takes rows without checks. Until `finish`, it is marked as unfinished and
 * no server starts on it.
 */
export interface CopyTarget {
  writer(): BlobWriter;
  /** Stores rows. They refer to blobs that {@link writer} wrote. */
  write(puts: readonly Put[]): Promise<void>;
  /** Stores the newest id of the feed, which the rows may lack. {@link asSource} can follow. */
  seal(lastId: string): Promise<void>;
  /** Returns the target as a source that reads from the disk or the database, for a comparison. */
  asSource(): Promise<CopySource>;
  /** Removes the mark of an unfinished copy. */
  finish(): Promise<void>;
}

/** An open store that is one end of a copy. */
export interface OpenEnd<End> {
  readonly end: End;
  close(): Promise<void>;
}
