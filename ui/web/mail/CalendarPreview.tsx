import { type ReactNode, useMemo } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { useShell } from '../use-shell.ts';
import {
  type CalendarEvent,
  type CalendarPerson,
  type CalendarTime,
  calendarEvents,
  METHODS,
  saidRepeats,
} from './calendar.ts';

const MOST_EVENTS = 5;
const MOST_PEOPLE = 10;

/** Shows the events of a calendar: what it asks of its reader, when, where, and of whom. */
export function CalendarPreview({ text }: { readonly text: string }) {
  const events = useMemo(() => calendarEvents(text), [text]);
  if (events.length === 0) return <p className="faint">No event was found.</p>;
  return (
    <ul className="stack">
      {events.slice(0, MOST_EVENTS).map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the events never change places
        <Event key={index} event={event} />
      ))}
      {events.length > MOST_EVENTS && (
        <li className="faint">and {saidCount(events.length - MOST_EVENTS, 'more event')}</li>
      )}
    </ul>
  );
}

function Event({ event }: { readonly event: CalendarEvent }) {
  const shell = useShell();
  const { method, summary, start, end, attendees } = event;
  const said = (time: CalendarTime | null) =>
    time === null || time.at === null ? (time?.text ?? '') : saidMoment(time.at, shell.now());
  const rows: readonly (readonly [name: string, value: ReactNode])[] = [
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
      <dl className="facts">
        {rows.map(([name, value]) =>
          value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
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
