import { isExpired } from '../../domain/retention.ts';
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

/** Returns the ids of the rows past their retention. `rows` have `id` and `received_at`, the oldest first. */
export function expiredIds(rows: readonly DatabaseRow[], days: number, now: number): string[] {
  const end = rows.findIndex((row) => !isExpired(numberColumn(row, 'received_at'), days, now));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => textColumn(row, 'id'));
}
