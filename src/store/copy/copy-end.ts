import type { BlobRef } from '../../domain/message.ts';
import type { BlobWriter } from '../../ports/store.ts';
import type { Put, TableName } from '../tables/state.ts';

/** All rows and bytes of a store that nobody writes to. */
export interface CopySource {
  /** Returns the number of rows of a table. */
  count(table: TableName): Promise<number>;
  /** Yields the rows of a table, by id. */
  rows(table: TableName): AsyncIterable<Put>;
  stream(ref: BlobRef): AsyncIterable<Buffer>;
  /** Returns the newest id that the feed ever had, or ''. */
  lastId(): Promise<string>;
}

/** An empty store that takes rows as they are. Until `finish`, it is marked as unfinished and no server starts on it. */
export interface CopyTarget {
  writer(): BlobWriter;
  /** Stores rows. They refer to blobs that {@link writer} wrote. */
  write(puts: readonly Put[]): Promise<void>;
  /** Stores what the rows do not tell. After it, {@link asSource} shows everything. */
  seal(lastId: string): Promise<void>;
  /** Reads what was stored, from the medium. */
  asSource(): Promise<CopySource>;
  /** Removes the mark. */
  finish(): Promise<void>;
}

/** An open store that is one end of a copy. */
export interface OpenEnd<End> {
  readonly end: End;
  close(): Promise<void>;
}
