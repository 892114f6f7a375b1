import { parseTime } from './time.ts';

// The offset must leave the clock between 1970 and the end of the ULID's and the ISO year's range.
const EARLIEST = 0;
const LATEST = Date.UTC(9999, 11, 31);

/**
 * Milliseconds to add to real time: of `{"offsetSeconds"}`, of `{"now"}`, or of null, which is real time (docs/contract.md#clock).
 * Null where it is none of these.
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
