import { type Ulid, ulidTime } from '../../../domain/ids.ts';
import { type Expiry, isErasable, isExpired } from '../../../domain/message.ts';
import { type ClockStep, spansOf, stepsWith } from '../../../domain/time.ts';
import type { ArrivalFacts } from '../state.ts';
import type { SortedRows } from '../table.ts';

// Rows are in the order of their ids, and expire by the time of their workspace. Between two shifts of its clock both
// orders are the same, so no list visits more than a few rows that it does not return.

interface Timed {
  readonly id: Ulid;
  readonly receivedAt: number;
}

type Steps = readonly ClockStep[] | undefined;

/** Yields the rows before an id that were received at or after `since` and are within their retention, newest first. */
export function* shownOf<Row extends Timed>(
  rows: { descending(before?: string): Iterable<Row> },
  steps: Steps,
  { before, since = Number.NEGATIVE_INFINITY, expiry }: { before?: string; since?: number; expiry: Expiry },
): Generator<Row, void, void> {
  for (const { from, to, leadMs } of spansOf(steps).reverse()) {
    const start = to === undefined || (before !== undefined && before < to) ? before : to;
    if (start !== undefined && start <= from) continue;
    for (const row of rows.descending(start)) {
      if (row.id < from) break;
      // No older row of the span was received later than this.
      const latest = ulidTime(row.id) + leadMs;
      if (latest < since || isExpired(latest, expiry)) break;
      if (row.receivedAt >= since && !isExpired(row.receivedAt, expiry)) yield row;
    }
  }
}

/** Yields the rows past their retention. */
export function expiredOf<Row extends Timed>(
  rows: SortedRows<Row>,
  steps: Steps,
  expiry: Expiry,
): Generator<Row, void, void> {
  return oldest(rows, steps, ({ receivedAt }) => isExpired(receivedAt, expiry));
}

/** Returns the number of rows past their retention. Its cost grows with that number. */
export function countExpired<Row extends Timed>(rows: SortedRows<Row>, steps: Steps, expiry: Expiry): number {
  let count = 0;
  for (const _row of expiredOf(rows, steps, expiry)) count++;
  return count;
}

/** Returns the ids of at most `limit` rows whose bytes may go, the oldest first. */
export function erasableOf<Row extends Timed>(
  rows: SortedRows<Row>,
  steps: Steps,
  expiry: Expiry,
  limit: number,
): Row['id'][] {
  const ids: Row['id'][] = [];
  if (limit <= 0) return ids;
  for (const { id } of oldest(rows, steps, (row) => isErasable(row.receivedAt, ulidTime(row.id), expiry)))
    if (ids.push(id) >= limit) break;
  return ids;
}

/** Yields the rows at the beginning of each span that are past something, the oldest first. */
function* oldest<Row extends Timed>(
  rows: SortedRows<Row>,
  steps: Steps,
  isPast: (row: Row) => boolean,
): Generator<Row, void, void> {
  for (const { after, to } of spansOf(steps)) {
    for (const row of rows.ascending(after === '' ? undefined : after)) {
      if ((to !== undefined && row.id >= to) || !isPast(row)) break;
      yield row;
    }
  }
}

/** Returns the steps of a mailbox or webhook after a row arrived, for its row of facts. */
export function arrivalsWith(
  facts: (ArrivalFacts & { readonly lastId: Ulid }) | undefined,
  { id, receivedAt }: Timed,
): ArrivalFacts {
  const last = facts === undefined ? undefined : dated(facts.lastId);
  const steps = stepsWith(facts?.steps, { ...dated(id), receivedAt }, last);
  return steps === undefined ? {} : { steps };
}

function dated(id: Ulid): { readonly id: Ulid; readonly idTime: number } {
  return { id, idTime: ulidTime(id) };
}
