import { utcDay } from '../../../domain/time.ts';

const DAYS_KEPT = 7;

/** The counts of the last few UTC days, by day. */
export type DayCounts = Readonly<Record<string, number>>;

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
