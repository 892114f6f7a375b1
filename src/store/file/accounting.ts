import type { Message } from '../../domain/message.ts';
import { type Change, isGrowing, type TableName } from '../tables/state.ts';
import { readRef } from './extent.ts';

/** What a row itself takes in a segment, about: enough to tell a segment that is worth keeping. */
const ROW_BYTES = 400;

/** What is alive in one segment. */
interface Holding {
  liveBytes: number;
  /** Bytes of messages past their retention, or cleared with their mailbox: they are to leave the disk soon. */
  expiredBytes: number;
  /** Messages with bytes here whose row stands in another segment. */
  readonly guests: Set<string>;
}

/** Which segment holds each row of the growing tables, and what is alive in each. */
export class Accounting {
  readonly #homes = new Map<string, number>();
  readonly #holdings = new Map<number, Holding>();

  /** A change that is durable in `segment`, with what undoes it: the rows it replaced or removed. */
  applied(change: Change, undo: readonly Change[], segment: number): void {
    const expired = change[0] === 'clear' || (change[0] === 'remove' && change[3] === true);
    for (const old of undo) {
      if (old[0] === 'put' && isGrowing(old[1])) this.#drop(old, expired);
    }
    if (change[0] !== 'put' || !isGrowing(change[1])) return;
    this.#homes.set(keyOf(change[1], change[2].id), segment);
    this.#holding(segment).liveBytes += ROW_BYTES;
    if (change[1] === 'messages') this.#weigh(change[2], segment, 1, false);
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

  guests(segment: number): readonly string[] {
    return [...(this.#holdings.get(segment)?.guests ?? [])];
  }

  forget(segment: number): void {
    this.#holdings.delete(segment);
  }

  #drop([, table, row]: Extract<Change, readonly ['put', ...unknown[]]>, expired: boolean): void {
    const key = keyOf(table, row.id);
    const home = this.#homes.get(key) ?? 0;
    this.#homes.delete(key);
    const holding = this.#holding(home);
    holding.liveBytes -= ROW_BYTES;
    if (expired) holding.expiredBytes += ROW_BYTES;
    // A row of the messages table is a message.
    if (table === 'messages') this.#weigh(row as Message, home, -1, expired);
  }

  #weigh(message: Message, home: number, sign: 1 | -1, expired: boolean): void {
    for (const ref of [message.raw, message.facts]) {
      for (const { segment, length } of readRef(ref)) {
        const holding = this.#holding(segment);
        holding.liveBytes += sign * length;
        if (expired) holding.expiredBytes += length;
        if (segment === home) continue;
        if (sign > 0) holding.guests.add(message.id);
        else holding.guests.delete(message.id);
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
