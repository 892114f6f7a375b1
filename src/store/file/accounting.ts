import type { BlobRef } from '../../domain/message.ts';
import { blobsOf } from '../tables/blobs.ts';
import type { GoneRow } from '../tables/committed-state.ts';
import { type Change, isGrowing, type Put, type TableName } from '../tables/state.ts';
import { readRef } from './extent.ts';

/** What a row itself takes in a segment, about: enough to tell a segment that is worth keeping. */
const ROW_BYTES = 400;

/** What is alive in one segment. */
interface Holding {
  liveBytes: number;
  /** Bytes of what is past its retention, or was cleared: they are to leave the disk soon. */
  expiredBytes: number;
  /** Rows with bytes here that stand in another segment, as {@link keyOf} names them. */
  readonly guests: Set<string>;
}

/** Which segment holds each row of the growing tables, and what is alive in each. */
export class Accounting {
  readonly #homes = new Map<string, number>();
  readonly #holdings = new Map<number, Holding>();

  /** A row is durable in `segment`. */
  put(put: Put, segment: number): void {
    if (!isGrowing(put[1])) return;
    this.#homes.set(keyOf(put[1], put[2].id), segment);
    this.#holding(segment).liveBytes += ROW_BYTES;
    this.#weigh(put[1], put[2].id, blobsOf(put), segment, 1, false);
  }

  /** A row was replaced or removed by a change. */
  gone({ table, id, blobs }: GoneRow, change: Change): void {
    if (!isGrowing(table)) return;
    const expired = change[0] === 'clear' || (change[0] === 'remove' && change[3] === true);
    const key = keyOf(table, id);
    const home = this.#homes.get(key) ?? 0;
    this.#homes.delete(key);
    const holding = this.#holding(home);
    holding.liveBytes -= ROW_BYTES;
    if (expired) holding.expiredBytes += ROW_BYTES;
    this.#weigh(table, id, blobs, home, -1, expired);
  }

  homeOf(table: TableName, id: string): number | undefined {
    return this.#homes.get(keyOf(table, id));
  }

  liveBytes(segment: number): number {
    return this.#holdings.get(segment)?.liveBytes ?? 0;
  }

  expiredBytes(segment: number): number {
    return this.#holdings.get(segment)?.expiredBytes ?? 0;
  }

  /** Segments that something alive stands in. */
  inUse(): number[] {
    return [...this.#holdings].filter(([, { liveBytes }]) => liveBytes > 0).map(([number]) => number);
  }

  /** The rows of a table with bytes in a segment that they don't stand in, by id. */
  guests(segment: number, table: TableName): readonly string[] {
    const ids: string[] = [];
    for (const key of this.#holdings.get(segment)?.guests ?? []) {
      const id = idIn(key, table);
      if (id !== null) ids.push(id);
    }
    return ids;
  }

  forget(segment: number): void {
    this.#holdings.delete(segment);
  }

  #weigh(table: TableName, id: string, blobs: readonly BlobRef[], home: number, sign: 1 | -1, expired: boolean): void {
    for (const ref of blobs) {
      for (const { segment, length } of readRef(ref)) {
        const holding = this.#holding(segment);
        holding.liveBytes += sign * length;
        if (expired) holding.expiredBytes += length;
        if (segment === home) continue;
        const key = keyOf(table, id);
        if (sign > 0) holding.guests.add(key);
        else holding.guests.delete(key);
      }
    }
  }

  #holding(segment: number): Holding {
    let holding = this.#holdings.get(segment);
    if (holding === undefined) {
      holding = { liveBytes: 0, expiredBytes: 0, guests: new Set() };
      this.#holdings.set(segment, holding);
    }
    return holding;
  }
}

function keyOf(table: TableName, id: string): string {
  return table === 'messages' ? id : `${table} ${id}`;
}

function idIn(key: string, table: TableName): string | null {
  if (table === 'messages') return key.includes(' ') ? null : key;
  return key.startsWith(`${table} `) ? key.slice(table.length + 1) : null;
}
