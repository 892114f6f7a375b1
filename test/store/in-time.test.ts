import { expect, test } from 'vitest';
import { type MessageId, ulidTime } from '../../src/domain/ids.ts';
import { DAY_MS, stepsWith } from '../../src/domain/time.ts';
import { erasableOf, shownOf } from '../../src/store/tables/aggregates/in-time.ts';
import { SortedChunks, type SortedRows } from '../../src/store/tables/table.ts';
import { NOON, ulidAt } from './rows.ts';

interface Row {
  readonly id: MessageId;
  readonly receivedAt: number;
}

/** Rows of a mailbox, and the number of those that were visited. */
class Visited implements SortedRows<Row> {
  readonly #rows = new SortedChunks<Row>();
  steps: ReturnType<typeof stepsWith>;
  #last: { readonly id: string; readonly idTime: number } | undefined;
  visits = 0;

  get size(): number {
    return this.#rows.size;
  }

  add(arrivedAt: number, offsetMs: number): void {
    const row = { id: ulidAt<MessageId>(arrivedAt), receivedAt: arrivedAt + offsetMs };
    const dated = { ...row, idTime: ulidTime(row.id) };
    this.steps = stepsWith(this.steps, dated, this.#last);
    this.#last = dated;
    this.#rows.insert(row);
  }

  *ascending(after?: string): Generator<Row, void, void> {
    yield* this.#counted(this.#rows.ascending(after));
  }

  *descending(before?: string): Generator<Row, void, void> {
    yield* this.#counted(this.#rows.descending(before));
  }

  *#counted(rows: Iterable<Row>): Generator<Row, void, void> {
    for (const row of rows) {
      this.visits++;
      yield row;
    }
  }
}

test('a list visits no rows that a shifted clock hides, however many they are', () => {
  const rows = new Visited();
  for (let i = 0; i < 5_000; i++) rows.add(NOON + i, 0);
  for (let i = 0; i < 3; i++) rows.add(NOON + 10_000 + i, 30 * DAY_MS);
  for (let i = 0; i < 5_000; i++) rows.add(NOON + 20_000 + i, 0);
  const shown = NOON + 27 * DAY_MS;
  const found = [...shownOf({ rows, steps: rows.steps, expiry: { shown, real: 0 } })];
  expect(found).toHaveLength(3);
  expect(rows.visits).toBeLessThan(10);

  // A wait looks only at what is not older than its start.
  rows.visits = 0;
  const since = NOON + 24_990;
  expect([...shownOf({ rows, steps: rows.steps, expiry: { shown: 0, real: 0 } }, { since })]).toHaveLength(13);
  expect(rows.visits).toBeLessThan(30);

  // A sweep visits only what it erases.
  rows.visits = 0;
  expect(erasableOf({ rows, steps: rows.steps, expiry: { shown, real: NOON - 1 } }, 500)).toEqual([]);
  expect(rows.visits).toBeLessThan(10);
});

test('many shifts of a clock cost a bounded number of steps, and hide no row', () => {
  const rows = new Visited();
  for (let i = 0; i < 500; i++) rows.add(NOON + i, (i % 7) * DAY_MS);
  expect(rows.steps?.length).toBeLessThanOrEqual(32);
  const days = (shown: number) => [...shownOf({ rows, steps: rows.steps, expiry: { shown, real: 0 } })].length;
  expect(days(NOON - 1)).toBe(500);
  expect(days(NOON + 6 * DAY_MS - 1)).toBe(71);
});

test('ids that an earlier version created ahead of real time are one step, however many there are', () => {
  const rows = new Visited();
  rows.add(NOON, 0);
  for (let i = 0; i < 300; i++) rows.add(NOON + 30 * DAY_MS, i * 60_000 - 30 * DAY_MS);
  expect(rows.steps).toHaveLength(1);
  const shown = NOON + 100 * 60_000;
  expect([...shownOf({ rows, steps: rows.steps, expiry: { shown, real: 0 } })]).toHaveLength(199);
});

test('without a shift there are no steps, also with small differences between the clocks of servers', () => {
  const rows = new Visited();
  for (let i = 0; i < 100; i++) rows.add(NOON + i, -(i % 2) * 100);
  expect(rows.steps).toBeUndefined();
});
