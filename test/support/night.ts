/** `vitest run --mode night` runs every test (vitest.config.ts). By day the costly matrices run in part. */
export const IS_NIGHT = process.env['MAILCAP_NIGHT'] === '1';
/**
 * Tells whether a commit runs this file with its share of the night. A test that repeats a wait of seconds repeats it less
 * often there, because one file would hold the whole run for a quarter of an hour.
 */
export const IS_SHARE = IS_NIGHT && (process.env['MAILCAP_NIGHT_SHARE'] ?? '') !== '';
/** The reason by day to skip a test that only the night runs. Null at night. */
export const BY_DAY: string | null = IS_NIGHT ? null : 'it runs at night';

/**
 * Returns all rows of a matrix at night, and by day those that stand for the rest. Throws if no row does, because the
 * claim would not be tested by day then.
 */
export function byDay<Row>(rows: readonly Row[], stands: (row: Row, at: number) => boolean): Row[] {
  const chosen = rows.filter(stands);
  if (chosen.length === 0) throw new Error('no row stands for the matrix by day');
  return IS_NIGHT ? [...rows] : chosen;
}

/**
 * Returns the number of runs of a property: all at night, and by day the given number, or an eighth but at least fifty.
 * By day the values are the same in each run (test/support/fixed-seed.ts), so more of them find a fault once and never
 * again.
 */
export function propertyRuns(atNight: number, byDay = Math.max(Math.min(atNight, 50), Math.ceil(atNight / 8))): number {
  return IS_NIGHT ? atNight : byDay;
}
