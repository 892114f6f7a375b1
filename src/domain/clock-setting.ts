import { parseTime } from './time.ts';

// The range of the clock: from 1970 to the last year that ULIDs and ISO 8601 can express.
const EARLIEST = 0;
const LATEST = Date.UTC(9999, 11, 31);

/**
 * Parses a clock setting into the milliseconds to add to real time (docs/clock.md). It takes
 * `{"offsetSeconds"}`, `{"now"}`, or null for real time. Returns null if the setting is invalid.
 */
export function parseClockSetting(value: unknown, realNow: number): number | null {
  if (value === null) return 0;
  if (typeof value !== 'object') return null;
  const given: { offsetSeconds?: unknown; now?: unknown } = value;
  const offsetMs = offsetOf(given, realNow);
  const inRange = offsetMs !== null && realNow + offsetMs >= EARLIEST && realNow + offsetMs <= LATEST;
  return inRange ? offsetMs : null;
}

function offsetOf(given: { offsetSeconds?: unknown; now?: unknown }, realNow: number): number | null {
  if (typeof given.offsetSeconds === 'number' && given.now === undefined)
    return Math.round(given.offsetSeconds * 1_000);
  if (typeof given.now !== 'string' || given.offsetSeconds !== undefined) return null;
  const now = parseTime(given.now);
  return now === null ? null : now - realNow;
}
