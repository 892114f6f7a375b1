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

/** Removes every row of a group in a table. */
export function removeEach(write: Write, table: TableName, rows: SortedRows<Identified>): void {
  // The loop uses a copy, because each removal changes the group.
  for (const { id } of [...rows.ascending()]) write(['remove', table, id]);
}
