import { type ReactNode, useMemo } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { Fact } from '../parts/Fact.tsx';
import { useShell } from '../use-shell.ts';
import {
  type CalendarEvent,
  type CalendarItem,
  type CalendarPerson,
  type CalendarTime,
  calendarEvents,
  calendarItems,
  METHODS,
  saidRepeats,
} from './calendar.ts';

const MOST_EVENTS = 5;
const MOST_PEOPLE = 10;

/** Shows a calendar: what each event asks of its reader, when, where, and of whom, and what else the file holds. */
export function CalendarPreview({ text }: { readonly text: string }) {
  const events = useMemo(() => calendarEvents(text), [text]);
  const items = useMemo(() => calendarItems(text), [text]);
  if (events.length === 0 && items.length === 0)
    return <p className="faint">No event, task, journal or busy time was found.</p>;
  return (
    <ul className="stack">
      {events.slice(0, MOST_EVENTS).map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the events never change places
        <Event key={index} event={event} />
      ))}
      {events.length > MOST_EVENTS && (
        <li className="faint">and {saidCount(events.length - MOST_EVENTS, 'more event')}</li>
      )}
      {items.slice(0, MOST_EVENTS).map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items never change places
        <Item key={index} item={item} />
      ))}
      {items.length > MOST_EVENTS && <li className="faint">and {items.length - MOST_EVENTS} more</li>}
    </ul>
  );
}

const ITEM_NAMES = { task: 'A task', journal: 'A journal', busy: 'Busy times' } as const;

/** Shows a task, a journal or busy times: the kind stands in its name if it has no summary. */
function Item({ item: { kind, summary, status, time, periods } }: { readonly item: CalendarItem }) {
  const said = useSaidTime();
  const when = { task: 'Due', journal: 'Day', busy: 'From' }[kind];
  return (
    <li>
      <strong>{harmlessLine(summary, 200) || ITEM_NAMES[kind]}</strong>
      <Facts
        rows={[
          ['Kind', summary === '' ? '' : { task: 'task', journal: 'journal', busy: 'busy times' }[kind]],
          ['Status', line(status)],
          [when, line(said(time))],
          ['Busy', periods === null ? '' : saidCount(periods, 'period')],
        ]}
      />
    </li>
  );
}

/** Returns how a time of a calendar is said: in words if its moment is known, or else as it is written. */
function useSaidTime(): (time: CalendarTime | null) => string {
  const shell = useShell();
  return (time) => (time === null || time.at === null ? (time?.text ?? '') : saidMoment(time.at, shell.now()));
}

type FactRow = readonly [name: string, value: ReactNode];

function Facts({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) =>
        value === '' ? null : (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ),
      )}
    </dl>
  );
}

function Event({ event }: { readonly event: CalendarEvent }) {
  const said = useSaidTime();
  const { method, summary, start, end, attendees } = event;
  const rows: readonly FactRow[] = [
    ['Method', saidMethod(method)],
    ['Status', line(event.status)],
    ['Of a series', line(saidOccurrence(event, said(event.occurrence)))],
    ['Starts', line(said(start))],
    ['Ends', end?.isDay && end.text === start?.text ? '' : line(said(end))],
    ['Lasts', line(saidDuration(event.duration))],
    ['Repeats', line(saidSeries(event))],
    ['Where', line(event.location)],
    ['Organizer', event.organizer === null ? '' : saidPerson(event.organizer)],
    ['Guests', attendees.length === 0 ? '' : <Guests key="guests" guests={attendees} />],
    ['Comment', line(event.comment)],
  ];
  return (
    <li>
      <strong>{harmlessLine(summary, 200) || 'An event'}</strong>
      <Facts rows={rows} />
    </li>
  );
}

function Guests({ guests }: { readonly guests: readonly CalendarPerson[] }) {
  return (
    <ul>
      {guests.slice(0, MOST_PEOPLE).map((guest, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the guests never change places
        <li key={index}>
          {saidPerson(guest)}
          {guest.answer !== '' && <span className="faint"> · {harmlessLine(guest.answer, 40)}</span>}
        </li>
      ))}
      {guests.length > MOST_PEOPLE && <li className="faint">and {guests.length - MOST_PEOPLE} more</li>}
    </ul>
  );
}

function line(text: string): string {
  return harmlessLine(text, 400);
}

function saidPerson({ name, address }: CalendarPerson): string {
  return name === '' ? line(address) : `${harmlessLine(name, 120)} <${line(address)}>`;
}

function saidMethod(method: string): string {
  if (method === '') return 'none: a calendar file, and no invitation';
  const meaning = Object.hasOwn(METHODS, method) ? METHODS[method] : 'no method of RFC 5546';
  return `${harmlessLine(method, 40)}: ${meaning}`;
}

/** Tells that an event, such as one that is called off, is not the whole series. */
function saidOccurrence({ occurrence }: CalendarEvent, said: string): string {
  if (occurrence === null) return '';
  return occurrence.andLater ? `from ${said} on` : `only the event of ${said}`;
}

function saidSeries({ repeats, leftOut, added }: CalendarEvent): string {
  return [
    repeats.map(saidRepeats).join(', and '),
    leftOut > 0 ? `without ${saidCount(leftOut, 'date')}` : '',
    added > 0 ? `with ${saidCount(added, 'further date')}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Returns a duration in words (RFC 5545 3.3.6), such as `1 h 30 min`, or as it is written. */
function saidDuration(written: string): string {
  const units = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(written);
  const said = ['week', 'd', 'h', 'min', 's'].flatMap((unit, at) => {
    const number = units?.[at + 1];
    if (number === undefined) return [];
    return unit === 'week' ? saidCount(Number(number), unit) : `${number} ${unit}`;
  });
  return said.join(' ') || written;
}
