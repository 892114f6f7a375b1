const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  sec: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
/** Resend schedules up to 30 days ahead. */
const LONGEST_MS = 30 * 86_400_000;
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads the time of `scheduled_at`: ISO 8601, or a text such as `in 1 min`. Returns milliseconds since 1970, or null if it
 * can't be read or is too far away. A time in the past is now.
 */
export function scheduledTime(text: string, now: number): number | null {
  const time = ISO.test(text) ? isoTimeIn(text) : relative(text, now);
  if (time === null || Number.isNaN(time) || time > now + LONGEST_MS) return null;
  return Math.max(now, time);
}

/** JavaScript reads a day that is not there, such as 30 February, as one of the next month. */
function isoTimeIn(text: string): number | null {
  const [day, midnight] = [text.slice(0, 10), Date.parse(text.slice(0, 10))];
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  return Date.parse(zoned(text));
}

/** Without a zone the time is in UTC, wherever the server runs. */
function zoned(text: string): string {
  const whole = text.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return whole.includes('T') && !/(?:Z|[+-]\d\d:\d\d)$/.test(whole) ? `${whole}Z` : whole;
}

function relative(text: string, now: number): number | null {
  const [, count, unit = ''] = /^in (an?|\d{1,6}) ?([a-z]+?)s?$/i.exec(text.trim()) ?? [];
  const ms = Object.hasOwn(UNITS, unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : undefined;
  if (count === undefined || ms === undefined) return null;
  return now + (/^an?$/i.test(count) ? 1 : Number(count)) * ms;
}
