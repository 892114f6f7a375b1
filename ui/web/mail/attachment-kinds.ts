/** What an attachment can be shown as. */
export type PreviewKind = 'picture' | 'pdf' | 'table' | 'json' | 'calendar' | 'text';

/** Types that a browser shows as a picture without any risk. Even an SVG in an `img` element runs no script. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon)$/;

/** Types that people read as text. The reports of a bounce say which recipient was refused, and why. */
const TEXTS =
  /^(?:text\/(?:plain|markdown|rfc822-headers)|message\/(?:delivery-status|disposition-notification|feedback-report))$/;

/** Returns what an attachment can be shown as, by its type or else by the end of its name. Null if it is only saved. */
export function previewKind(contentType: string, filename: string): PreviewKind | null {
  const type = contentType.toLowerCase().split(';')[0]?.trim() ?? '';
  const name = filename.toLowerCase();
  if (PICTURES.test(type)) return 'picture';
  const isVague = type === '' || type === 'application/octet-stream';
  if (type === 'application/pdf' || (isVague && name.endsWith('.pdf'))) return 'pdf';
  if (type === 'text/csv' || name.endsWith('.csv')) return 'table';
  if (/[/+]json$/.test(type) || (isVague && name.endsWith('.json'))) return 'json';
  if (type === 'text/calendar' || name.endsWith('.ics')) return 'calendar';
  return TEXTS.test(type) || (isVague && /\.(txt|log|md)$/.test(name)) ? 'text' : null;
}

/** Reads the rows of a CSV text (RFC 4180). The separator is the comma, the semicolon or the tab of its first line. */
export function csvRows(text: string): string[][] {
  const body = text.replace(/^\ufeff/, '');
  const separator = separatorOf(body.slice(0, body.search(/[\r\n]|$/)));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < body.length; at++) {
    const sign = body.charAt(at);
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (body.charAt(at + 1) === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && body.charAt(at + 1) === '\n') at++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += sign;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

function separatorOf(line: string): string {
  const counts = [',', ';', '\t'].map((sign) => [sign, line.split(sign).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** A time of a calendar. `at` is null if it is in a zone that is only named, or is no time. */
export interface CalendarTime {
  readonly text: string;
  readonly at: number | null;
  readonly zone: string;
  readonly isDay: boolean;
}

export interface CalendarEvent {
  readonly summary: string;
  readonly start: CalendarTime | null;
  readonly end: CalendarTime | null;
  readonly location: string;
  readonly organizer: string;
  readonly attendees: readonly string[];
}

/** Reads the events of a calendar (RFC 5545), as far as a preview shows them. */
export function calendarEvents(text: string): CalendarEvent[] {
  const events: CalendarEvent[] = [];
  let lines: [name: string, parameters: string, value: string][] | null = null;
  // A line that begins with a space continues the one before it.
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    if (/^BEGIN:VEVENT$/i.test(line)) lines = [];
    else if (/^END:VEVENT$/i.test(line) && lines !== null) {
      events.push(eventOf(lines));
      lines = null;
    } else if (lines !== null) {
      const [, name = '', parameters = '', value = ''] = /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
      lines.push([name.toUpperCase(), parameters, value]);
    }
  }
  return events;
}

function eventOf(lines: readonly (readonly [name: string, parameters: string, value: string])[]): CalendarEvent {
  const line = (name: string) => lines.find(([one]) => one === name);
  const text = (name: string) => unescaped(line(name)?.[2] ?? '');
  const time = (name: string) => {
    const found = line(name);
    return found === undefined ? null : timeOf(found[1], found[2]);
  };
  const people = lines.filter(([name]) => name === 'ATTENDEE').map(([, , value]) => value.replace(/^mailto:/i, ''));
  return {
    summary: text('SUMMARY'),
    start: time('DTSTART'),
    end: time('DTEND'),
    location: text('LOCATION'),
    organizer: text('ORGANIZER').replace(/^mailto:/i, ''),
    attendees: people,
  };
}

function timeOf(parameters: string, value: string): CalendarTime {
  const zone = /;TZID="?([^";:]+)/i.exec(parameters)?.[1] ?? '';
  const [, year, month, day, hour, minute, second, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined)
    return { text: value, at: null, zone, isDay: false };
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return { text: date, at: null, zone: '', isDay: true };
  const said = `${date} ${hour}:${minute}:${second}`;
  if (utc !== 'Z') return { text: zone === '' ? said : `${said} (${zone})`, at: null, zone, isDay: false };
  return { text: said, at: Date.parse(`${date}T${hour}:${minute}:${second}Z`), zone, isDay: false };
}

function unescaped(text: string): string {
  return text.replace(/\\([nN,;\\])/g, (_whole, sign: string) => (/n/i.test(sign) ? ' ' : sign));
}
