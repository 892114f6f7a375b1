import { isExpired } from '../../../domain/retention.ts';
import type { Identified, SortedRows } from '../sorted-rows.ts';
import type { TableName } from '../state.ts';
import type { Write } from './aggregate.ts';

/** Returns the first rows, at most `limit`. */
export function take<Row>(rows: Iterable<Row>, limit: number): Row[] {
  const taken: Row[] = [];
  for (const row of rows) {
    if (taken.length >= limit) break;
    taken.push(row);
  }
  return taken;
}

/** Returns the row with an id that an index returned. Returns null for undefined or a missing row. */
export function found<Row>(table: { get(id: string): Row | undefined }, id: string | undefined): Row | null {
  return id === undefined ? null : (table.get(id) ?? null);
}

/** Returns the newest id of the rows, or null if there are none. A clear removes all rows up to it. */
export function newestOf<Row extends Identified>(rows: SortedRows<Row>): Row['id'] | null {
  for (const row of rows.descending()) return row.id;
  return null;
}

/** Returns the ids of at most `limit` rows past their retention, the oldest first. */
export function expiredOf<Row extends Identified & { readonly receivedAt: number }>(
  rows: SortedRows<Row>,
  days: number,
  now: number,
  limit: number,
): Row['id'][] {
  const expired: Row['id'][] = [];
  for (const row of rows.ascending()) {
    // The oldest rows come first. If the clock was set back, a few expired rows wait for a later sweep.
    if (expired.length >= limit || !isExpired(row.receivedAt, days, now)) break;
    expired.push(row.id);
  }
  return expired;
}

/** Removes every row of a group in a table. */
export function removeEach(write: Write, table: TableName, rows: SortedRows<Identified>): void {
  // The loop uses a copy, because each removal changes the group.
  for (const { id } of [...rows.ascending()]) write(['remove', table, id]);
}
