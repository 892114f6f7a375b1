// Times are milliseconds since 1970 in the code, and ISO 8601 with milliseconds and offset on the wire
// (docs/contract.md#ids-and-times).

/**
 * The last result of {@link writeTime}. An event contains its time twice, and mail that arrives together has the same
 * time.
 */
let written = { ms: 0, text: '1970-01-01T00:00:00.000+00:00' };

/** Writes a time such as `2026-11-20T15:55:21.123+00:00`. */
export function writeTime(ms: number): string {
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString().replace('Z', '+00:00') };
  return written.text;
}

// A `+` that the client did not encode arrives as a space in a query.
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+\- ])(\d{2})(?::?(\d{2}))?)?$/i;

/**
 * Parses an ISO 8601 date and time into milliseconds since 1970. Without an offset it is UTC. Returns null if the text
 * is invalid.
 */
export function parseTime(text: string): number | null {
  const match = ISO_8601.exec(text.trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offsetMinutes = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  const readable =
    isDay(year, month, day) && hour <= 23 && minute <= 59 && second <= 59 && offsetMinutes <= 24 * 60 - 1;
  if (!readable) return null;
  const fraction = Math.trunc(Number(`0.${match[7] ?? 0}`) * 1_000);
  const sign = match[8] === '-' ? -1 : 1;
  return utc(year, month, day) + ((hour * 60 + minute - sign * offsetMinutes) * 60 + second) * 1_000 + fraction;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(utc(year, month, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Like Date.UTC, but it takes years below 100 literally. Date.UTC would add 1900 to them. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

const DAY_MS = 86_400_000;
/** The last result of {@link utcDay}. It is called for every message, nearly always with the same day. */
let latest = { startsAt: 0, day: '1970-01-01' };

/** Returns the UTC day for daily counters, such as `2026-11-20`. */
export function utcDay(ms: number): string {
  const isLatest = ms >= latest.startsAt && ms < latest.startsAt + DAY_MS;
  if (!isLatest) latest = { startsAt: Math.floor(ms / DAY_MS) * DAY_MS, day: new Date(ms).toISOString().slice(0, 10) };
  return latest.day;
}
