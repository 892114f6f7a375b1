import { type ClockStep, spansOf } from '../../domain/clock-steps.ts';
import { type Expiry, isExpired } from '../../domain/retention.ts';
import { ULID_DIGITS } from '../../text/ulid-digits.ts';
import { type DatabaseRow, numberColumn, type RunStatement, textColumn } from './connection.ts';
import type { SmallState } from './small-state.ts';

/** The largest time that a ULID can hold, in milliseconds since 1970. */
const LARGEST_ULID_TIME = 2 ** 48 - 1;

/** The sources of reads: the database, and the small rows in memory. */
export interface ReadSource {
  readonly query: RunStatement;
  /** Returns the small rows, as current as the read needs. */
  small(): Promise<SmallState>;
}

/** Returns a limit for SQL. Infinity becomes null, which means no limit, and a negative number becomes 0. */
export function limitOf(limit: number): number | null {
  return Number.isFinite(limit) ? Math.max(0, limit) : null;
}

/**
 * Returns a time for SQL, in milliseconds since 1970. An infinite time becomes the largest or the smallest safe
 * integer.
 */
export function momentOf(time: number): number {
  return Number.isFinite(time) ? time : time > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** Returns a text that does not sort after any ULID of `time` or later. `time` is in milliseconds since 1970. */
export function ulidFloor(time: number): string {
  let rest = Math.min(Math.max(Math.ceil(time), 0), LARGEST_ULID_TIME);
  let text = '';
  for (let i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = ULID_DIGITS.charAt(rest % 32) + text;
  return text;
}

/** The bounds of ids for SQL: at or above `floor` and below `end`. */
export interface IdRange {
  readonly floor: string;
  readonly end: string;
}

/** A text that sorts after every ULID. */
export const END = '~';

/**
 * Returns the ranges of ids in which rows before an id can be that were received after a moment, the newest range first.
 * Each lies between two shifts of the workspace's clock, so the ranges hold few other rows.
 */
export function rangesAfter(steps: readonly ClockStep[] | undefined, moment: number, before = END): IdRange[] {
  return spansOf(steps)
    .reverse()
    .map(({ from, to = END, leadMs }) => {
      const floor = ulidFloor(moment - leadMs);
      return { floor: floor > from ? floor : from, end: before < to ? before : to };
    })
    .filter(({ floor, end }) => floor < end);
}

/** Returns the ranges of ids between the shifts of a clock, the oldest first, up to a moment of real time. */
export function rangesUpTo(steps: readonly ClockStep[] | undefined, moment = Number.POSITIVE_INFINITY): IdRange[] {
  const last = Number.isFinite(moment) ? ulidFloor(moment + 1) : END;
  return spansOf(steps)
    .map(({ from, to = END }) => ({ floor: from, end: last < to ? last : to }))
    .filter(({ floor, end }) => floor < end);
}

/** Returns the ids of the first rows past their retention. `rows` have `id` and `received_at`, the oldest first. */
export function expiredIds(rows: readonly DatabaseRow[], expiry: Expiry): string[] {
  const end = rows.findIndex((row) => !isExpired(numberColumn(row, 'received_at'), expiry));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => textColumn(row, 'id'));
}
