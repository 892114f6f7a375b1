import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calendarEvents, csvRows, previewKind } from '../../../ui/web/mail/attachment-kinds.ts';

test.each([
  ['image/PNG', 'a.png', 'picture'],
  ['application/pdf', 'a', 'pdf'],
  ['application/octet-stream', 'a.PDF', 'pdf'],
  ['text/csv; charset=utf-8', 'a', 'table'],
  ['application/vnd.ms-excel', 'a.csv', 'table'],
  ['application/ld+json', 'a', 'json'],
  ['text/calendar; method=REQUEST', 'a', 'calendar'],
  ['text/plain', 'a', 'text'],
  ['', 'notes.md', 'text'],
  ['message/delivery-status', 'unnamed', 'text'],
  ['text/rfc822-headers; charset=us-ascii', 'unnamed', 'text'],
  ['text/html', 'a.html', null],
  ['application/zip', 'a.json', null],
  ['image/svg+xml', 'a.svg', 'picture'],
])('%s with the name %s is shown as %s', (type, name, kind) => {
  expect(previewKind(type, name)).toBe(kind);
});

test('rows of CSV come back as they were written, whatever is in them', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ';', ' ', 'ü'), maxLength: 6 });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(rows, (table) => {
      // The first line has more commas than any other separator.
      const all = [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ...table];
      expect(csvRows(all.map((row) => row.map(quoted).join(',')).join('\r\n'))).toEqual(all);
    }),
  );
});

test.each([
  [
    '\ufeffa;b\n1,5;2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'a\tb\r\n1\t2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['', []],
  ['"open', [['open']]],
])('%j is read as rows', (text, rows) => {
  expect(csvRows(text)).toEqual(rows);
});

test('an event of a calendar is read with folded lines, escapes, zones and whole days', () => {
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'SUMMARY:Retro\\, and',
    '  cake',
    'DTSTART:20261130T140000Z',
    'DTEND;TZID="Europe/Berlin":20261130T160000',
    'LOCATION:Room 4\\nsecond floor',
    'ORGANIZER;CN=Grace:mailto:grace@x.test',
    'ATTENDEE;CN="Lovelace, Ada":MAILTO:ada@x.test',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'DTSTART;VALUE=DATE:20261224',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
  expect(calendarEvents(text)).toEqual([
    {
      summary: 'Retro, and cake',
      start: { text: '2026-11-30 14:00:00', at: Date.UTC(2026, 10, 30, 14), zone: '', isDay: false },
      end: { text: '2026-11-30 16:00:00 (Europe/Berlin)', at: null, zone: 'Europe/Berlin', isDay: false },
      location: 'Room 4 second floor',
      organizer: 'grace@x.test',
      attendees: ['ada@x.test'],
    },
    expect.objectContaining({ summary: '', start: { text: '2026-12-24', at: null, zone: '', isDay: true } }),
  ]);
  expect(calendarEvents('BEGIN:VEVENT')).toEqual([]);
});
