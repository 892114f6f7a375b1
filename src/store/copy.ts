import { createHash } from 'node:crypto';
import type { BlobRef } from '../domain/message.ts';
import type { BlobWriter } from '../ports/store.ts';
import { blobsOf, type Put, TABLES, type TableName, withBlobs } from './tables/state.ts';

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

/** The number of rows or bytes after which the target commits. */
const SLICE_ROWS = 200;
const SLICE_BYTES = 4 * 1024 * 1024;
/** Rows that share bytes lie close together, so only this many of the last references are kept in memory. */
const REMEMBERED = 100_000;

/** The number of copied rows by table and in total, and the number of bytes of their bodies. */
export interface CopiedRows {
  readonly rows: Readonly<Partial<Record<TableName, number>>>;
  readonly total: number;
  readonly bytes: number;
}

/** The error for a copy whose content differs from its source. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

/** Bytes that were copied, with their checksum. */
interface CopiedBlob {
  readonly ref: BlobRef;
  readonly checksum: string;
  readonly bytes: number;
}

/** Returns the number of rows of a store. */
export async function countRows(source: CopySource): Promise<number> {
  let total = 0;
  for (const table of TABLES) total += await source.count(table);
  return total;
}

/**
 * Copies everything, then reads it back from the target and compares. `onRows` gets the number of rows of each step. It
 * counts each row twice: when it is copied and when it is compared.
 *
 * @throws CopyDiffers if the target does not hold what the source has. It stays unfinished.
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onRows: (count: number) => void,
): Promise<CopiedRows> {
  const given = new Digests();
  const copier = new Copier(source, target, given, onRows);
  for (const table of TABLES) {
    for await (const put of source.rows(table)) await copier.add(put);
    await copier.commit();
  }
  await target.seal(await source.lastId());
  await compare(given, await digestsOf(await target.asSource(), onRows));
  await target.finish();
  const rows = Object.fromEntries(TABLES.map((table) => [table, given.of(table).rows]));
  return { rows, total: TABLES.reduce((sum, table) => sum + given.of(table).rows, 0), bytes: copier.bytes };
}

class Copier {
  readonly #source: CopySource;
  readonly #target: CopyTarget;
  readonly #digests: Digests;
  readonly #onRows: (count: number) => void;
  readonly #copied = new Map<BlobRef, CopiedBlob>();
  #slice: Put[] = [];
  #sliceBytes = 0;
  bytes = 0;

  constructor(source: CopySource, target: CopyTarget, digests: Digests, onRows: (count: number) => void) {
    this.#source = source;
    this.#target = target;
    this.#digests = digests;
    this.#onRows = onRows;
  }

  async add(put: Put): Promise<void> {
    const moved = new Map<BlobRef, BlobRef>();
    const checksums = new Map<BlobRef, string>();
    for (const ref of blobsOf(put)) {
      const blob = this.#copied.get(ref) ?? (await this.#copy(ref));
      moved.set(ref, blob.ref);
      checksums.set(ref, blob.checksum);
    }
    this.#digests.add(put, checksums);
    this.#slice.push(withBlobs(put, moved));
    if (this.#slice.length >= SLICE_ROWS || this.#sliceBytes >= SLICE_BYTES) await this.commit();
  }

  async commit(): Promise<void> {
    if (this.#slice.length === 0) return;
    await this.#target.write(this.#slice);
    this.#onRows(this.#slice.length);
    this.#slice = [];
    this.#sliceBytes = 0;
    for (const ref of this.#copied.keys()) {
      if (this.#copied.size <= REMEMBERED) break;
      this.#copied.delete(ref);
    }
  }

  async #copy(ref: BlobRef): Promise<CopiedBlob> {
    const writer = this.#target.writer();
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of this.#source.stream(ref)) {
      hash.update(piece);
      bytes += piece.length;
      await writer.write(piece);
    }
    const blob = { ref: await writer.finish(), checksum: hash.digest('hex'), bytes };
    this.#copied.set(ref, blob);
    this.#sliceBytes += bytes;
    this.bytes += bytes;
    return blob;
  }
}

/** Reads a whole store and adds up its checksums. */
async function digestsOf(source: CopySource, onRows: (count: number) => void): Promise<Digests> {
  const digests = new Digests();
  const known = new Map<BlobRef, string>();
  for (const table of TABLES) {
    for await (const put of source.rows(table)) {
      const checksums = new Map<BlobRef, string>();
      for (const ref of blobsOf(put)) {
        const checksum = known.get(ref) ?? (await checksumOf(source, ref));
        known.set(ref, checksum);
        checksums.set(ref, checksum);
      }
      digests.add(put, checksums);
      onRows(1);
      if (known.size > REMEMBERED) known.clear();
    }
  }
  return digests;
}

async function checksumOf(source: CopySource, ref: BlobRef): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of source.stream(ref)) hash.update(piece);
  return hash.digest('hex');
}

async function compare(given: Digests, stored: Digests): Promise<void> {
  for (const table of TABLES) {
    const [from, to] = [given.of(table), stored.of(table)];
    if (from.rows !== to.rows)
      throw new CopyDiffers(`the copy holds ${to.rows} ${table}, the source ${from.rows}: it is left unfinished.`);
    if (from.sum !== to.sum)
      throw new CopyDiffers(`the copied ${table} differ from those of the source: the copy is left unfinished.`);
  }
}

/** The number of rows of a table, and the sum of their checksums, which does not depend on their order. */
interface Digest {
  readonly rows: number;
  readonly sum: bigint;
}

const MODULUS = 2n ** 256n;

/** Adds up checksums of rows, one digest for each table. */
class Digests {
  readonly #digests = new Map<TableName, Digest>();

  of(table: TableName): Digest {
    return this.#digests.get(table) ?? { rows: 0, sum: 0n };
  }

  /** Adds a row. `checksums` holds the checksum of the bytes behind each of its references. */
  add(put: Put, checksums: ReadonlyMap<BlobRef, string>): void {
    const [, table, row] = withBlobs(put, checksums);
    const { rows, sum } = this.of(table);
    const hash = createHash('sha256').update(canonical(row)).digest('hex');
    this.#digests.set(table, { rows: rows + 1, sum: (sum + BigInt(`0x${hash}`)) % MODULUS });
  }
}

/** Encodes a value as JSON with sorted names, because a store may return the fields of a row in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
