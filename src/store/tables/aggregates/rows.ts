import { utcDay } from '../../../domain/time.ts';
import type { Reader, Tx } from '../../../ports/store.ts';
import type { Change, TableName } from '../state.ts';
import type { GroupIndex, RowWithId, SortedRows, Table } from '../table.ts';

/** Records one change of a transaction. */
export type Write = (change: Change) => void;

/** The write methods of a transaction for one aggregate. */
export type Writes<Name extends keyof Tx> = Omit<Tx[Name], keyof Reader[Name]>;

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

/** Returns the reads of a table whose rows belong to workspaces. A list is in the order of ids. */
export function ofWorkspace<Row extends RowWithId>(table: Table<Row>, byWorkspace: GroupIndex<Row>) {
  return {
    get: async (id: Row['id']) => table.get(id) ?? null,
    list: async (workspaceId: string) => [...byWorkspace.of(workspaceId).ascending()],
  };
}

/** Returns the newest id of the rows, or null if there are none. A clear removes all rows up to it. */
export function newestOf<Row extends RowWithId>(rows: SortedRows<Row>): Row['id'] | null {
  for (const row of rows.descending()) return row.id;
  return null;
}

/** Removes every row of a group in a table. */
export function removeEach(write: Write, table: TableName, rows: SortedRows<RowWithId>): void {
  // The loop uses a copy, because each removal changes the group.
  for (const { id } of [...rows.ascending()]) write(['remove', table, id]);
}

const DAYS_KEPT = 7;

/** The counts of the last few UTC days, by day. */
type DayCounts = Readonly<Record<string, number>>;

/** Returns the count of the UTC day of `now`. */
export function countOn(counts: DayCounts | undefined, now: number): number {
  return counts?.[utcDay(now)] ?? 0;
}

/**
 * Adds `more` to the count of the UTC day of `now`. It drops the days to whose counts nothing was added for the longest
 * time.
 */
export function counted(counts: DayCounts | undefined, now: number, more: number): DayCounts {
  const day = utcDay(now);
  // Most messages count on the same day as the previous one.
  if (counts !== undefined && Object.keys(counts).at(-1) === day)
    return { ...counts, [day]: (counts[day] ?? 0) + more };
  const { [day]: before = 0, ...others } = counts ?? {};
  const kept = Object.entries(others).slice(1 - DAYS_KEPT);
  return Object.fromEntries([...kept, [day, before + more]]);
}
