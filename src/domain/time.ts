// Times are milliseconds since 1970 inside; on the wire ISO 8601 with milliseconds and offset (contract 3).

/** `2026-11-20T15:55:21.123+00:00` */
export function writeTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)$/i;

/** Milliseconds of an ISO 8601 time with any offset, or null when `text` is none. A query's `+` may arrive as a space. */
export function parseTime(text: string): number | null {
  let candidate = text.trim();
  if (/ \d{2}:?\d{2}$/.test(candidate) && candidate.includes('T'))
    candidate = candidate.replace(/ (\d{2}:?\d{2})$/, '+$1');
  if (!ISO_8601.test(candidate)) return null;
  const normal = candidate
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
    .replace(/([+-]\d{2})$/, (offset, _sign, at: number) => (at > 10 ? `${offset}:00` : offset));
  const ms = Date.parse(normal);
  return Number.isNaN(ms) ? null : ms;
}

/** The UTC day a daily counter belongs to, `2026-11-20`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
