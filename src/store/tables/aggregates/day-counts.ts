import { utcDay } from '../../../domain/time.ts';

const DAYS_KEPT = 7;

/** How many were counted on each of the last few UTC days. */
export type DayCounts = Readonly<Record<string, number>>;

/** How many were counted on the UTC day of `now`. */
export function countOn(counts: DayCounts | undefined, now: number): number {
  return counts?.[utcDay(now)] ?? 0;
}

/** So many more on the UTC day of `now`; the days longest without any are forgotten. */
export function counted(counts: DayCounts | undefined, now: number, more: number): DayCounts {
  const day = utcDay(now);
  const { [day]: before = 0, ...others } = counts ?? {};
  const kept = Object.entries(others).slice(1 - DAYS_KEPT);
  return Object.fromEntries([...kept, [day, before + more]]);
}
