/** Writes a time as mail does (RFC 5322 3.3), in UTC. */
export function mailDate(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000');
}

/** Writes a time as ctime(3) does, in UTC: `Thu Nov 20 09:08:07 2026`. */
export function asctime(time: number): string {
  const [weekday, day = '', month, year, clock] = new Date(time).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${clock} ${year}`;
}

export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** The zones that RFC 5322 4.3 names, in minutes from UTC. The zone of any other name is unknown. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ['est', -300],
  ['edt', -240],
  ['cst', -360],
  ['cdt', -300],
  ['mst', -420],
  ['mdt', -360],
  ['pst', -480],
  ['pdt', -420],
]);
const DATE =
  /^(?:[a-z]{2,9}\.?,?\s{1,9})?(\d{1,2})\s{1,9}([a-z]{3})[a-z]{0,6}\s{1,9}(\d{2,4})\s{1,9}(\d{1,2})\s?:\s?(\d{2})(?:\s?:\s?(\d{2}))?\s{0,9}(?:([+-])(\d{2})(\d{2})|([a-z]{1,5}))?/i;

const MOST_CHARACTERS = 500;

/** A moment as the sender wrote it. */
export interface MailDate {
  /** In milliseconds since 1970. */
  readonly time: number;
  /** The sender's zone, in minutes east of UTC. */
  readonly offsetMinutes: number;
}

/** Reads a Date header (RFC 5322 3.3, with the obsolete forms of 4.3). Returns null if it is no date. */
export function readMailDate(text: string): MailDate | null {
  const [, day = '', month = '', year = '', hour, minute, second = '0', sign, zoneHours, zoneMinutes, zone = ''] =
    DATE.exec(withoutComments(text.slice(0, MOST_CHARACTERS))) ?? [];
  const at = MONTHS.indexOf(month.toLowerCase());
  if (at < 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 && year.length === 2 ? 2000 : 1900);
  const date = new Date(Date.UTC(fullYear, at, Number(day), Number(hour), Number(minute), Number(second)));
  if (Number(day) < 1 || Number(day) > 31) return null;
  const offset = Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0);
  const offsetMinutes = sign === undefined ? (ZONES.get(zone.toLowerCase()) ?? 0) : sign === '-' ? -offset : offset;
  return { time: date.getTime() - offsetMinutes * 60_000, offsetMinutes };
}

/** Comments and line breaks may stand between any two words (RFC 5322 appendix A.6.3). */
function withoutComments(text: string): string {
  return text
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
