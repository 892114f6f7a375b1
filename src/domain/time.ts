// Times are milliseconds since 1970 inside; on the wire ISO 8601 with milliseconds and offset (docs/contract.md#ids-and-times).

/** `2026-11-20T15:55:21.123+00:00` */
export function writeTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

// A query's `+` arrives as a space where the client did not encode it.
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+\- ])(\d{2})(?::?(\d{2}))?)?$/i;

/** Milliseconds of an ISO 8601 date and time with any offset, UTC where it has none, or null when `text` is none. */
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

/** Date.UTC, but for the years it takes for those of the last century. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** The UTC day a daily counter belongs to, `2026-11-20`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
