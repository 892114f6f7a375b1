import type { BlobRef } from '../../domain/message.ts';
import { blobsOf } from '../tables/blobs.ts';
import type { CommittedState, GoneRow } from '../tables/committed-state.ts';
import type { Home } from '../tables/messages/committed-messages.ts';
import { type Change, type Clear, isGrowing, type Remove, type TableName } from '../tables/state.ts';
import { type Extent, keyOf, readRef } from './extent.ts';

/** A row itself takes about this many bytes in a segment: enough to tell a segment that is worth keeping. */
const ROW_BYTES = 400;

/** Small tables whose rows hold texts of users: what is removed from them is erased. The others change all the time and hold numbers. */
const NONE: readonly BlobRef[] = [];

const ERASED_TABLES: ReadonlySet<TableName> = new Set<TableName>([
  'mailboxes',
  'claims',
  'keys',
  'groups',
  'authenticators',
  'identities',
  'suppression',
  'webhooks',
]);

/** Bytes in one segment that nothing alive needs any more, and that are to be erased. */
export interface Dead {
  /** Records of changes, by the offset of their payload. */
  readonly records: Set<number>;
  readonly blobs: Extent[];
}

/** A removal, and the segment and offset of the record that says so. */
export interface Removal {
  readonly home: Home;
  readonly change: Remove | Clear;
}

interface Holding {
  liveBytes: number;
  /** Rows of the growing tables but messages, which know their home themselves. */
  readonly rows: Set<string>;
}

/** Which segment holds each row, what is alive in each, and what is dead and not erased yet. */
export class Accounting {
  /** The home of each row but messages: a segment and an offset in one number. */
  readonly #homes = new Map<string, number>();
  readonly #holdings = new Map<number, Holding>();
  readonly #dead = new Map<number, Dead>();
  #removals: Removal[] = [];
  #smallTablesShrank = false;

  /** Applies a change that is durable at `home` to what readers see, and takes it into account. */
  commit(state: CommittedState, change: Change, home: Home): void {
    const kept = change[0] === 'put' ? blobsOf(change) : NONE;
    state.apply(change, home, (row) => this.gone(row, kept));
    if (home.offset > 0) this.#applied(change, home);
  }

  #applied(change: Change, home: Home): void {
    if (change[0] !== 'put') {
      if (change[0] === 'clear' || isGrowing(change[1])) this.#removals.push({ home, change });
      return;
    }
    const [, table, row] = change;
    if (isGrowing(table)) {
      const holding = this.#holding(home.segment);
      holding.liveBytes += ROW_BYTES;
      for (const ref of blobsOf(change)) this.#weigh(ref, 1);
      if (table === 'messages') return;
      holding.rows.add(nameOf(table, row.id));
    } else if (!ERASED_TABLES.has(table)) return;
    this.#homes.set(nameOf(table, row.id), keyOf(home));
  }

  /** The messages of a segment's index: how many there are, and how many bytes of theirs each segment holds. */
  loaded(segment: number, count: number, bytes: ReadonlyMap<number, number>): void {
    this.#holding(segment).liveBytes += count * ROW_BYTES;
    for (const [number, size] of bytes) this.#holding(number).liveBytes += size;
  }

  /** A row that was replaced or removed: where it stands it is dead. What replaced it still needs the blobs `kept`. */
  gone({ table, id, blobs, home: told }: GoneRow, kept: readonly BlobRef[]): void {
    const key = nameOf(table, id);
    const home = told ?? homeIn(this.#homes.get(key));
    this.#homes.delete(key);
    if (!isGrowing(table) && ERASED_TABLES.has(table)) this.#smallTablesShrank = true;
    if (home === null || home.offset === 0) return;
    this.#deadIn(home.segment).records.add(home.offset);
    if (!isGrowing(table)) return;
    const holding = this.#holding(home.segment);
    holding.liveBytes -= ROW_BYTES;
    holding.rows.delete(key);
    for (const ref of blobs) {
      this.#weigh(ref, -1);
      if (kept.includes(ref)) continue;
      for (const extent of readRef(ref)) this.#deadIn(extent.segment).blobs.push(extent);
    }
  }

  /** Bytes of an earlier run that were to be erased still. */
  pending(segment: number, records: readonly number[], blobs: readonly (readonly [number, number])[]): void {
    if (records.length + blobs.length === 0) return;
    const dead = this.#deadIn(segment);
    for (const offset of records) dead.records.add(offset);
    for (const [offset, length] of blobs) dead.blobs.push({ segment, offset, length });
  }

  homeOf(table: TableName, id: string): Home | null {
    return homeIn(this.#homes.get(nameOf(table, id)));
  }

  liveBytes(segment: number): number {
    return this.#holdings.get(segment)?.liveBytes ?? 0;
  }

  /** Segments that something alive stands in. */
  inUse(): number[] {
    return [...this.#holdings].filter(([, { liveBytes }]) => liveBytes > 0).map(([number]) => number);
  }

  /** The rows of the growing tables but messages that stand in a segment. */
  rowsAt(segment: number): { readonly table: TableName; readonly id: string }[] {
    return [...(this.#holdings.get(segment)?.rows ?? [])].map(rowIn);
  }

  /** Tells what is dead in a segment so far; it stays to be erased. */
  deadIn(segment: number): Dead | null {
    return this.#dead.get(segment) ?? null;
  }

  /** Tells whether a row with texts left a small table since the last time this was asked. */
  takeSmallTablesShrank(): boolean {
    const shrank = this.#smallTablesShrank;
    this.#smallTablesShrank = false;
    return shrank;
  }

  /** All that is dead so far, as it is now. */
  dead(): Map<number, Dead> {
    return new Map(
      [...this.#dead].map(([segment, { records, blobs }]) => [
        segment,
        { records: new Set(records), blobs: [...blobs] },
      ]),
    );
  }

  /** Forgets what was dead in a segment and is overwritten now, as {@link dead} told it. */
  erased(segment: number, { records, blobs }: Dead): void {
    const dead = this.#dead.get(segment);
    if (dead === undefined) return;
    for (const offset of records) dead.records.delete(offset);
    // Blobs are only ever added behind.
    dead.blobs.splice(0, blobs.length);
    if (dead.records.size + dead.blobs.length === 0) this.#dead.delete(segment);
  }

  /** The removals in a segment that may still be needed: what they removed may still stand on the disk. */
  removalsAt(segment: number): readonly Removal[] {
    return this.#removals.filter(({ home }) => home.segment === segment);
  }

  /** Forgets removals whose rows are no longer on the disk: those that stand before a place. */
  settle(isBefore: (home: Home) => boolean): void {
    this.#removals = this.#removals.filter(({ home }) => !isBefore(home));
  }

  forget(segment: number): void {
    this.#holdings.delete(segment);
    this.#dead.delete(segment);
  }

  #weigh(ref: BlobRef, sign: 1 | -1): void {
    for (const { segment, length } of readRef(ref)) this.#holding(segment).liveBytes += sign * length;
  }

  #holding(segment: number): Holding {
    let holding = this.#holdings.get(segment);
    if (holding === undefined) {
      holding = { liveBytes: 0, rows: new Set() };
      this.#holdings.set(segment, holding);
    }
    return holding;
  }

  #deadIn(segment: number): Dead {
    let dead = this.#dead.get(segment);
    if (dead === undefined) {
      dead = { records: new Set(), blobs: [] };
      this.#dead.set(segment, dead);
    }
    return dead;
  }
}

const SHIFT = 2 ** 32;

function homeIn(number: number | undefined): Home | null {
  return number === undefined ? null : { segment: Math.floor(number / SHIFT), offset: number % SHIFT };
}

function nameOf(table: TableName, id: string): string {
  return `${table} ${id}`;
}

function rowIn(key: string): { table: TableName; id: string } {
  const space = key.indexOf(' ');
  // Keys are made above, of a table's name.
  return { table: key.slice(0, space) as TableName, id: key.slice(space + 1) };
}
