import { type Ulid, ulidTime } from '../../../domain/ids.ts';
import { type Expiry, isErasable, isExpired } from '../../../domain/message.ts';
import { type ClockStep, spansOf, stepsWith } from '../../../domain/time.ts';
import type { ArrivalFacts } from '../state.ts';
import type { SortedRows } from '../table.ts';
import { take } from './rows.ts';

// Rows are in the order of their ids, and expire by the time of their workspace. Between two shifts of its clock both
// orders are the same, so no list visits more than a few rows that it does not return.

interface Timed {
  readonly id: Ulid;
  readonly receivedAt: number;
}

/** Some rows, and how they lie in time. `Rows` says in which order they can be read. */
export interface TimedRows<Rows> {
  readonly rows: Rows;
  readonly steps: readonly ClockStep[] | undefined;
  readonly expiry: Expiry;
}

/** Yields the rows before an id that were received at or after `since` and are within their retention, newest first. */
export function* shownOf<Row extends Timed>(
  { rows, steps, expiry }: TimedRows<{ descending(before?: string): Iterable<Row> }>,
  { before, since = Number.NEGATIVE_INFINITY }: { before?: string | undefined; since?: number | undefined } = {},
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
export function expiredOf<Row extends Timed>(timed: TimedRows<SortedRows<Row>>): Generator<Row, void, void> {
  return oldest(timed, ({ receivedAt }) => isExpired(receivedAt, timed.expiry));
}

/** Returns the number of rows within their retention. Its cost grows with the number of the others. */
export function countShown<Row extends Timed>(timed: TimedRows<SortedRows<Row>>): number {
  let count = timed.rows.size;
  for (const _row of expiredOf(timed)) count--;
  return count;
}

/** Returns the ids of at most `limit` rows whose bytes may go, the oldest first. */
export function erasableOf<Row extends Timed>(timed: TimedRows<SortedRows<Row>>, limit: number): Row['id'][] {
  const erasable = oldest(timed, ({ id, receivedAt }) => isErasable(receivedAt, ulidTime(id), timed.expiry));
  return limit <= 0 ? [] : take(erasable, limit).map(({ id }) => id);
}

/** Yields the rows at the beginning of each span that are past something, the oldest first. */
function* oldest<Row extends Timed>(
  { rows, steps }: TimedRows<SortedRows<Row>>,
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
