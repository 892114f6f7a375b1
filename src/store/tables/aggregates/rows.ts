import { isExpired } from '../../../domain/retention.ts';
import type { Identified, SortedRows } from '../sorted-rows.ts';
import type { TableName } from '../state.ts';
import type { Write } from './aggregate.ts';

/** The first rows, `limit` of them at most. */
export function take<Row>(rows: Iterable<Row>, limit: number): Row[] {
  const taken: Row[] = [];
  for (const row of rows) {
    if (taken.length >= limit) break;
    taken.push(row);
  }
  return taken;
}

/** The row that an index knows the id of, null where it knows none. */
export function found<Row>(table: { get(id: string): Row | undefined }, id: string | undefined): Row | null {
  return id === undefined ? null : (table.get(id) ?? null);
}

/** The newest id a clear reaches to, null where there is nothing to clear. */
export function newestOf<Row extends Identified>(rows: SortedRows<Row>): Row['id'] | null {
  for (const row of rows.descending()) return row.id;
  return null;
}

/** The rows past their retention that a sweep removes next, by id. */
export function expiredOf<Row extends Identified & { readonly receivedAt: number }>(
  rows: SortedRows<Row>,
  days: number,
  now: number,
  limit: number,
): Row['id'][] {
  const expired: Row['id'][] = [];
  for (const row of rows.ascending()) {
    // The oldest come first; a clock that was set back may hide a few until their turn comes.
    if (expired.length >= limit || !isExpired(row.receivedAt, days, now)) break;
    expired.push(row.id);
  }
  return expired;
}

/** Removes every row of a group of one table. */
export function removeEach(write: Write, table: TableName, rows: SortedRows<Identified>): void {
  // A copy: each removal takes a row out of the group.
  for (const { id } of [...rows.ascending()]) write(['remove', table, id]);
}
