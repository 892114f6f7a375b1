/** A time of a calendar. `at` is null if it is in a zone that is only named, or is no time. */
export interface CalendarTime {
  readonly text: string;
  readonly at: number | null;
  readonly zone: string;
  readonly isDay: boolean;
}

export interface CalendarPerson {
  /** Empty if the file has no name, or repeats the address in its place. */
  readonly name: string;
  readonly address: string;
  /** The answer of the person, such as `accepted`. Empty before an answer. */
  readonly answer: string;
}

export interface CalendarEvent {
  /** The identity of the event, and the number of its version (RFC 5546 2.1). Both stay as they are written. */
  readonly uid: string;
  readonly sequence: string;
  /** The request of the file to its reader (RFC 5546), such as `REQUEST`. Empty if it asks nothing. */
  readonly method: string;
  readonly summary: string;
  /** The state of the event, such as `cancelled`. Empty if the file names none, or `confirmed`. */
  readonly status: string;
  readonly start: CalendarTime | null;
  /** The end. Of whole days, the last one. */
  readonly end: CalendarTime | null;
  /** The duration of the event, as the file writes it, in place of an end. */
  readonly duration: string;
  /** The rules of a series, as the file writes them (RRULE). */
  readonly repeats: readonly string[];
  /** The number of dates that the rules give and the series leaves out (EXDATE), and of those that it has besides. */
  readonly leftOut: number;
  readonly added: number;
  /** The date of a series that the event is about (RECURRENCE-ID). Null if it is about all. */
  readonly occurrence: (CalendarTime & { readonly andLater: boolean }) | null;
  readonly location: string;
  readonly comment: string;
  readonly organizer: CalendarPerson | null;
  readonly attendees: readonly CalendarPerson[];
}

/** A task, a journal or a list of busy times, which a file of calendars may hold beside events. */
export interface CalendarItem {
  readonly kind: 'task' | 'journal' | 'busy';
  readonly summary: string;
  readonly status: string;
  /** The time at which a task is due, or the day of a journal. */
  readonly time: CalendarTime | null;
  /** The number of busy periods. Null if it is no list of them. */
  readonly periods: number | null;
}

/** The meaning of each method of RFC 5546 for the reader. */
export const METHODS: Readonly<Record<string, string>> = {
  PUBLISH: 'tells of events, and invites nobody',
  REQUEST: 'invites, or changes an invitation',
  REPLY: 'answers an invitation',
  ADD: 'adds dates to a series',
  CANCEL: 'calls the event off',
  REFRESH: 'asks for the newest version',
  COUNTER: 'proposes a change to the organizer',
  DECLINECOUNTER: 'declines a proposed change',
};

interface Line {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/**
 * Joins the folded lines of a calendar: one that begins with a space or a tab continues the one before it. A fold may
 * divide the bytes of one character (RFC 5545 3.1), so it has to go before the bytes become text.
 */
export function unfoldedLines(bytes: Uint8Array): Uint8Array {
  const joined = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const end = bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 1 : at;
    const next = bytes[end + 1];
    if (bytes[end] === 0x0a && (next === 0x20 || next === 0x09)) at = end + 1;
    else joined[length++] = bytes[at] ?? 0;
  }
  return joined.subarray(0, length);
}

/** Reads the events of a file of calendars (RFC 5545), as far as a preview shows them. */
export function calendarEvents(text: string): CalendarEvent[] {
  return componentsOf(text).flatMap(({ kind, method, lines }) => (kind === 'VEVENT' ? [eventOf(method, lines)] : []));
}

/** Reads the tasks, journals and busy times of a file of calendars, as far as a preview shows them. */
export function calendarItems(text: string): CalendarItem[] {
  return componentsOf(text).flatMap(({ kind, lines }) => {
    const name = ITEMS[kind];
    return name === undefined ? [] : [itemOf(name, lines)];
  });
}

interface Component {
  readonly kind: string;
  readonly method: string;
  readonly lines: readonly Line[];
}

const ITEMS: Readonly<Record<string, CalendarItem['kind']>> = { VTODO: 'task', VJOURNAL: 'journal', VFREEBUSY: 'busy' };
const KINDS: ReadonlySet<string> = new Set(['VEVENT', ...Object.keys(ITEMS)]);

function componentsOf(text: string): Component[] {
  const found: (Omit<Component, 'method'> & { readonly calendar: { method: string } })[] = [];
  let calendar = { method: '' };
  let open: { readonly kind: string; readonly lines: Line[] } | null = null;
  /** The component inside another, such as an alarm, whose lines say nothing of that one. */
  let inner: string | null = null;
  // A line that begins with a space continues the one before it.
  for (const whole of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const line = lineOf(whole);
    const value = line.value.trim().toUpperCase();
    if (inner !== null) {
      if (line.name === 'END' && value === inner) inner = null;
    } else if (line.name === 'BEGIN') {
      if (open !== null) inner = value;
      else if (value === 'VCALENDAR') calendar = { method: '' };
      else if (KINDS.has(value)) open = { kind: value, lines: [] };
    } else if (line.name === 'END') {
      if (open !== null) found.push({ calendar, ...open });
      open = null;
    } else if (open !== null) open.lines.push(line);
    else if (line.name === 'METHOD') calendar.method = value;
  }
  // The method may stand behind what it is about.
  return found.map(({ calendar: { method }, kind, lines }) => ({ kind, method, lines }));
}

function itemOf(kind: CalendarItem['kind'], lines: readonly Line[]): CalendarItem {
  const line = (name: string) => lines.find((one) => one.name === name);
  const text = (name: string) => unescaped(line(name)?.value ?? '').trim();
  const time = line(kind === 'task' ? 'DUE' : 'DTSTART');
  // FREEBUSY;FBTYPE=FREE lists the free periods.
  const busy = lines.filter((one) => one.name === 'FREEBUSY' && parameterOf(one, 'FBTYPE').toUpperCase() !== 'FREE');
  return {
    kind,
    summary: text('SUMMARY'),
    status: text('STATUS').toLowerCase(),
    time: time === undefined ? null : timeOf(time),
    periods: kind === 'busy' ? busy.flatMap(({ value }) => value.split(',').filter((one) => one !== '')).length : null,
  };
}

/**
 * Returns the ids of the calendars that another one repeats: in the same bytes, or with the same events for a preview. Of
 * those that say the same the first one with a file name stays.
 */
export function repeatedCalendars(
  calendars: readonly { readonly id: string; readonly filename: string | null; readonly text: string }[],
): ReadonlySet<string> {
  const known = new Set<string>();
  const namedFirst = calendars.toSorted((one, other) => Number(!one.filename) - Number(!other.filename));
  const repeated = namedFirst.filter(({ text }) => {
    const said = saidBy(text);
    return known.has(said) || !known.add(said);
  });
  return new Set(repeated.map(({ id }) => id));
}

function saidBy(text: string): string {
  const events = calendarEvents(text);
  return events.length === 0 || events.some(({ uid }) => uid === '') ? text : JSON.stringify(events);
}

function lineOf(text: string): Line {
  const [, name = '', parameters = '', value = ''] =
    /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(text.trimEnd()) ?? [];
  return { name: name.toUpperCase(), parameters, value };
}

function eventOf(method: string, lines: readonly Line[]): CalendarEvent {
  const line = (name: string) => lines.find((one) => one.name === name);
  const text = (name: string) => unescaped(line(name)?.value ?? '').trim();
  const time = (name: string) => {
    const found = line(name);
    return found === undefined ? null : timeOf(found);
  };
  const all = (name: string) => lines.filter((one) => one.name === name).map(({ value }) => value);
  const dates = (name: string) => all(name).flatMap((value) => value.split(',')).length;
  const [organizer, occurrence] = [line('ORGANIZER'), line('RECURRENCE-ID')];
  const start = time('DTSTART');
  return {
    uid: text('UID'),
    sequence: text('SEQUENCE'),
    method,
    summary: text('SUMMARY'),
    status: text('STATUS').toLowerCase().replace('confirmed', ''),
    start,
    end: lastOf(start, time('DTEND')),
    duration: text('DURATION'),
    repeats: all('RRULE').map(unescaped),
    leftOut: dates('EXDATE'),
    added: dates('RDATE'),
    occurrence:
      occurrence === undefined
        ? null
        : { ...timeOf(occurrence), andLater: parameterOf(occurrence, 'RANGE').toUpperCase() === 'THISANDFUTURE' },
    location: text('LOCATION'),
    comment: text('COMMENT'),
    organizer: organizer === undefined ? null : personOf(organizer),
    attendees: lines.filter(({ name }) => name === 'ATTENDEE').map(personOf),
  };
}

function personOf(line: Line): CalendarPerson {
  const [, mailbox] = /^mailto:(.*)$/i.exec(line.value) ?? [];
  // Apple writes the address beside a person that it names by a path or a UUID.
  const address = mailbox ?? (parameterOf(line, 'EMAIL') || line.value);
  const name = parameterOf(line, 'CN').trim();
  const answer = parameterOf(line, 'PARTSTAT').toLowerCase();
  return {
    // Outlook writes an address without a name as the name, in apostrophes.
    name: name.replace(/^'(.*)'$/, '$1').toLowerCase() === address.toLowerCase() ? '' : name,
    address,
    answer: answer === 'needs-action' ? '' : answer,
  };
}

/** Returns the value of a parameter, without its quotation marks and with the signs of RFC 6868 decoded. */
function parameterOf({ parameters }: Line, wanted: string): string {
  for (const [, name = '', value = ''] of parameters.matchAll(/;([\w-]+)=((?:"[^"]*"|[^";])*)/g))
    if (name.toUpperCase() === wanted)
      return value
        .replaceAll('"', '')
        .replace(/\^([n'^])/g, (_whole, sign: string) => (sign === 'n' ? ' ' : sign === "'" ? '"' : '^'));
  return '';
}

function timeOf({ parameters, value }: Line): CalendarTime {
  const zone = /;TZID="?([^";:]+)/i.exec(parameters)?.[1] ?? '';
  const [, date = '', time, utc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(value.trim()) ?? [];
  const day = date.replace(/(..)(..)$/, '-$1-$2');
  const said = time === undefined ? day : `${day} ${time.replace(/(..)(..)/, '$1:$2:')}`;
  const at = Date.parse(`${said.replace(' ', 'T')}${time === undefined ? 'T00:00:00' : ''}Z`);
  // The browser takes 30 February for 2 March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day)
    return { text: value, at: null, zone, isDay: false };
  if (time === undefined) return { text: day, at: null, zone: '', isDay: true };
  if (utc !== 'Z') return { text: zone === '' ? said : `${said} (${zone})`, at: null, zone, isDay: false };
  return { text: said, at, zone, isDay: false };
}

/** Returns the last day of an event of whole days, whose end is the day after it (RFC 5545 3.6.1). */
function lastOf(start: CalendarTime | null, end: CalendarTime | null): CalendarTime | null {
  if (end === null || !end.isDay) return end;
  const last = new Date(Date.parse(`${end.text}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  // Some programs write the day itself.
  return { ...end, text: end.text === start?.text ? end.text : last };
}

function unescaped(text: string): string {
  return text.replace(/\\([nN,;\\])/g, (_whole, sign: string) => (/n/i.test(sign) ? ' ' : sign));
}

const DAYS: Readonly<Record<string, string>> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday' },
  ...{ FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
};
const UNITS: Readonly<Record<string, string>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
/** The parts of a rule that are put in words. The start of the week decides nothing that a reader would miss. */
const SAID_PARTS = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'COUNT', 'UNTIL', 'WKST']);

/**
 * Returns a rule of recurrence in words (RFC 5545 3.3.10), such as `every 2 weeks on Monday and Friday, 10 times`. One
 * with further parts, or with one part twice, is returned as it is written.
 */
export function saidRepeats(written: string): string {
  const pairs = written
    .toUpperCase()
    .split(';')
    .map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']);
  const parts = new Map(pairs);
  const unit = UNITS[parts.get('FREQ') ?? ''];
  const [every, count] = [Number(parts.get('INTERVAL') ?? 1), Number(parts.get('COUNT') ?? 1)];
  const days =
    parts
      .get('BYDAY')
      ?.split(',')
      .map((day) => DAYS[day]) ?? [];
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(parts.get('UNTIL') ?? '') ?? [];
  const isSaid = [...parts.keys()].every((part) => SAID_PARTS.has(part)) && !days.includes(undefined);
  const areNumbers = [every, count].every((number) => Number.isSafeInteger(number) && number > 0);
  if (
    !isSaid ||
    pairs.length > parts.size ||
    unit === undefined ||
    !areNumbers ||
    parts.has('UNTIL') !== (year !== undefined)
  )
    return written;
  return [
    every === 1 ? `every ${unit}` : `every ${every} ${unit}s`,
    days.length === 0 ? '' : ` on ${[days.slice(0, -1).join(', '), days.at(-1)].filter(Boolean).join(' and ')}`,
    parts.has('COUNT') ? `, ${count === 1 ? 'once' : `${count} times`}` : '',
    year === undefined ? '' : `, until ${year}-${month}-${day}`,
  ].join('');
}
