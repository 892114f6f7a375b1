import type { BlobRef } from '../../domain/message.ts';
import { getOrCreate } from '../../text/maps.ts';
import { type Extent, eachExtent, extentKey, readRef } from '../tables/blob-ref.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import {
  blobsOf,
  type Change,
  type Clear,
  type GoneRow,
  isAppendTable,
  type LogPosition,
  type Remove,
  type TableName,
} from '../tables/state.ts';

/** The approximate size of a row in a segment, in bytes. It is precise enough to choose the segments to reclaim. */
const ROW_BYTES = 400;

const NONE: readonly BlobRef[] = [];

/**
 * The small tables whose rows hold texts of users. Their removed rows are erased. The other small tables change all the
 * time and hold numbers.
 */
const ERASED_TABLES: ReadonlySet<TableName> = new Set<TableName>([
  'mailboxes',
  'claims',
  'keys',
  'groups',
  'authenticators',
  'identities',
  'suppression',
  'webhooks',
  'runs',
  'tests',
]);

/** The bytes in one segment that no living row needs and that must be erased. */
export interface DeadBytes {
  /** The records of changes, by the offset of their payload. */
  readonly records: Set<number>;
  readonly blobs: Extent[];
}

/** A removal, with the position of its record. */
export interface Removal {
  readonly home: LogPosition;
  readonly change: Remove | Clear;
}

interface Holding {
  liveBytes: number;
  /** The rows of the append tables, except messages, which store their own home. */
  readonly rows: Set<string>;
}

/** Tracks the segment of each row, the living bytes of each segment, and the dead bytes that are not erased yet. */
export class Accounting {
  /** The home of each row except messages, with segment and offset in one number. */
  readonly #homes = new Map<string, number>();
  readonly #holdings = new Map<number, Holding>();
  readonly #dead = new Map<number, DeadBytes>();
  #removals: Removal[] = [];
  #smallTablesShrank = false;

  /** Applies a durable change to the committed state and accounts for it. `home` is the position of its record. */
  commit(state: CommittedState, change: Change, home: LogPosition): void {
    const kept = change[0] === 'put' ? blobsOf(change) : NONE;
    state.apply(change, home, (row) => this.gone(row, kept));
    if (home.offset > 0) this.#applied(change, home);
  }

  #applied(change: Change, home: LogPosition): void {
    if (change[0] !== 'put') {
      if (change[0] === 'clear' || isAppendTable(change[1])) this.#removals.push({ home, change });
      return;
    }
    const [, table, row] = change;
    if (isAppendTable(table)) {
      const holding = this.#holding(home.segment);
      holding.liveBytes += ROW_BYTES;
      for (const ref of blobsOf(change)) eachExtent(ref, this.#addBytes);
      if (table === 'messages') return;
      holding.rows.add(nameOf(table, row.id));
    } else if (!ERASED_TABLES.has(table)) return;
    this.#homes.set(nameOf(table, row.id), extentKey(home));
  }

  /** Adds the messages of a loaded index: their number, and the bytes they use in each segment. */
  loaded(segment: number, count: number, bytes: ReadonlyMap<number, number>): void {
    this.#holding(segment).liveBytes += count * ROW_BYTES;
    for (const [number, size] of bytes) this.#holding(number).liveBytes += size;
  }

  /** Marks a replaced or removed row as dead. The row that replaced it still needs the blobs in `kept`. */
  gone({ table, id, blobs, home: told }: GoneRow, kept: readonly BlobRef[]): void {
    const key = nameOf(table, id);
    const home = told ?? homeIn(this.#homes.get(key));
    this.#homes.delete(key);
    if (!isAppendTable(table) && ERASED_TABLES.has(table)) this.#smallTablesShrank = true;
    if (home === null || home.offset === 0) return;
    this.#deadIn(home.segment).records.add(home.offset);
    if (!isAppendTable(table)) return;
    const holding = this.#holding(home.segment);
    holding.liveBytes -= ROW_BYTES;
    holding.rows.delete(key);
    for (const ref of blobs) {
      eachExtent(ref, this.#takeBytes);
      if (kept.includes(ref)) continue;
      for (const extent of readRef(ref)) this.#deadIn(extent.segment).blobs.push(extent);
    }
  }

  /** Adds the dead bytes that an earlier run did not erase. */
  pending(segment: number, records: readonly number[], blobs: readonly (readonly [number, number])[]): void {
    if (records.length + blobs.length === 0) return;
    const dead = this.#deadIn(segment);
    for (const offset of records) dead.records.add(offset);
    for (const [offset, length] of blobs) dead.blobs.push({ segment, offset, length });
  }

  homeOf(table: TableName, id: string): LogPosition | null {
    return homeIn(this.#homes.get(nameOf(table, id)));
  }

  liveBytes(segment: number): number {
    return this.#holdings.get(segment)?.liveBytes ?? 0;
  }

  /** Lists the segments that hold living bytes. */
  inUse(): number[] {
    return [...this.#holdings].filter(([, { liveBytes }]) => liveBytes > 0).map(([number]) => number);
  }

  /** Lists the rows of the append tables in a segment, except messages. */
  rowsAt(segment: number): { readonly table: TableName; readonly id: string }[] {
    return [...(this.#holdings.get(segment)?.rows ?? [])].map(rowIn);
  }

  /** Returns the dead bytes of a segment, which remain to be erased. */
  deadIn(segment: number): DeadBytes | null {
    return this.#dead.get(segment) ?? null;
  }

  /** Tells whether a row with user text left a small table since the last call. */
  takeSmallTablesShrank(): boolean {
    const shrank = this.#smallTablesShrank;
    this.#smallTablesShrank = false;
    return shrank;
  }

  /** Returns a copy of all dead bytes. */
  dead(): Map<number, DeadBytes> {
    return new Map(
      [...this.#dead].map(([segment, { records, blobs }]) => [
        segment,
        { records: new Set(records), blobs: [...blobs] },
      ]),
    );
  }

  /** Forgets dead bytes of a segment that are now overwritten, as {@link dead} returned them. */
  erased(segment: number, { records, blobs }: DeadBytes): void {
    const dead = this.#dead.get(segment);
    if (dead === undefined) return;
    for (const offset of records) dead.records.delete(offset);
    // Blobs are only appended, so the erased ones come first.
    dead.blobs.splice(0, blobs.length);
    if (dead.records.size + dead.blobs.length === 0) this.#dead.delete(segment);
  }

  /** Returns the removals in a segment that may still be needed, because the removed row may still be on the disk. */
  removalsAt(segment: number): readonly Removal[] {
    return this.#removals.filter(({ home }) => home.segment === segment);
  }

  /** Forgets the removals before a position. Their rows are no longer on the disk. */
  settle(isBefore: (home: LogPosition) => boolean): void {
    this.#removals = this.#removals.filter(({ home }) => !isBefore(home));
  }

  forget(segment: number): void {
    this.#holdings.delete(segment);
    this.#dead.delete(segment);
  }

  readonly #addBytes = (segment: number, _offset: number, length: number): void => {
    this.#holding(segment).liveBytes += length;
  };

  readonly #takeBytes = (segment: number, _offset: number, length: number): void => {
    this.#holding(segment).liveBytes -= length;
  };

  #holding(segment: number): Holding {
    return getOrCreate(this.#holdings, segment, () => ({ liveBytes: 0, rows: new Set() }));
  }

  #deadIn(segment: number): DeadBytes {
    return getOrCreate(this.#dead, segment, () => ({ records: new Set(), blobs: [] }));
  }
}

const SHIFT = 2 ** 32;

function homeIn(number: number | undefined): LogPosition | null {
  return number === undefined ? null : { segment: Math.floor(number / SHIFT), offset: number % SHIFT };
}

function nameOf(table: TableName, id: string): string {
  return `${table} ${id}`;
}

function rowIn(key: string): { table: TableName; id: string } {
  const space = key.indexOf(' ');
  // The cast is safe: `nameOf` builds the keys from table names.
  return { table: key.slice(0, space) as TableName, id: key.slice(space + 1) };
}
