import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  calendarEvents,
  calendarItems,
  repeatedCalendars,
  saidRepeats,
  unfoldedLines,
} from '../../../ui/web/mail/calendar.ts';

const inCorpus = (name: string) => calendarEvents(readFileSync(`test/corpus/calendars/${name}.ics`, 'utf8'));
const event = (...lines: readonly string[]) =>
  calendarEvents(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'))[0];

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
      uid: '',
      sequence: '',
      method: '',
      summary: 'Retro, and cake',
      status: '',
      start: { text: '2026-11-30 14:00:00', at: Date.UTC(2026, 10, 30, 14), zone: '', isDay: false },
      end: { text: '2026-11-30 16:00:00 (Europe/Berlin)', at: null, zone: 'Europe/Berlin', isDay: false },
      duration: '',
      ...{ repeats: [], leftOut: 0, added: 0, occurrence: null },
      location: 'Room 4 second floor',
      comment: '',
      organizer: { name: 'Grace', address: 'grace@x.test', answer: '' },
      attendees: [{ name: 'Lovelace, Ada', address: 'ada@x.test', answer: '' }],
    },
    expect.objectContaining({ summary: '', start: { text: '2026-12-24', at: null, zone: '', isDay: true } }),
  ]);
  expect(calendarEvents('BEGIN:VEVENT')).toEqual([]);
});

test('an invitation of Exchange has its method, its names and the rule of its series', () => {
  expect(inCorpus('exchange-request')).toEqual([
    expect.objectContaining({
      method: 'REQUEST',
      summary: 'Testmeeting ➡ ignore it!',
      repeats: ['FREQ=DAILY;UNTIL=20201126T100000Z;INTERVAL=2'],
      attendees: [
        { name: 'Annonym Usernames', address: 'Annonym.Usernames@email.com', answer: '' },
        { name: 'Testmeeting channel', address: 'Testmeeting.channel@email365.onmicrosoft.com', answer: '' },
      ],
    }),
  ]);
});

test('an invitation of Lotus Notes has names in quotation marks over folded lines, and what each guest answered', () => {
  const chair = { name: 'iCal Chair/CoffeeBean', address: 'iCalChair@coffeebean.com' };
  expect(inCorpus('notes-request')).toEqual([
    expect.objectContaining({
      method: 'REQUEST',
      organizer: { ...chair, answer: '' },
      attendees: [
        { ...chair, answer: 'accepted' },
        { name: 'iCal Participant/CoffeeBean', address: 'iCalParticipant@coffeebean.com', answer: '' },
      ],
    }),
  ]);
});

test('a name that only repeats the address is left out, and a state other than confirmed is told', () => {
  const guest = (name: string, answer: string) => ({ name: '', address: `${name}@example.com`, answer });
  expect(inCorpus('macos-publish').map(({ method, status, attendees }) => ({ method, status, attendees }))).toEqual([
    { method: 'PUBLISH', status: 'tentative', attendees: [guest('tentative', 'tentative')] },
    { method: 'PUBLISH', status: '', attendees: [guest('confirmed', 'confirmed')] },
    { method: 'PUBLISH', status: 'cancelled', attendees: [guest('cancelled', 'cancelled')] },
    { method: 'PUBLISH', status: '', attendees: [] },
  ]);
  expect(event(`ATTENDEE;CN="'ada@x.test'":MAILTO:Ada@x.test`)?.attendees).toEqual([
    { name: '', address: 'Ada@x.test', answer: '' },
  ]);
});

test('each calendar of a file has its own method', () => {
  const steps = inCorpus('itip-methods');
  expect(steps.map(({ method }) => method)).toEqual([
    ...['REQUEST', 'REQUEST', 'REQUEST', 'REPLY', 'REPLY', 'REPLY', 'REPLY', 'CANCEL', 'COUNTER'],
  ]);
  expect(steps[4]?.attendees).toEqual([{ name: '', address: 'C@example.com', answer: 'declined' }]);
  expect(steps[7]).toMatchObject({ status: 'cancelled', comment: "Mr. B cannot attend. It's raining. Lets cancel." });
  expect(steps[8]).toMatchObject({
    duration: 'PT2H',
    end: null,
    comment: 'I think the conference should be 2 hours long',
  });
});

// Google Calendar and Apple Calendar write these forms.
test.each([
  [
    'ATTENDEE;CUTYPE=INDIVIDUAL;PARTSTAT=DECLINED;CN="Garg, Rohan";X-NUM-GUESTS=0:mailto:rohan@x.test',
    { name: 'Garg, Rohan', address: 'rohan@x.test', answer: 'declined' },
  ],
  [
    "ATTENDEE;CN=Dr^n Ada ^^ ^'Countess^';X-NUM-GUESTS=0:mailto:ada@x.test",
    { name: 'Dr  Ada ^ "Countess"', address: 'ada@x.test', answer: '' },
  ],
  [
    'ATTENDEE;CN="Ada";EMAIL="ada@x.test";PARTSTAT=TENTATIVE:/aMTEy/principal/',
    { name: 'Ada', address: 'ada@x.test', answer: 'tentative' },
  ],
  ['ATTENDEE:urn:uuid:7f1a', { name: '', address: 'urn:uuid:7f1a', answer: '' }],
])('%s is read as a person', (line, person) => {
  expect(event(line)?.attendees).toEqual([person]);
});

test('the last of several whole days is the day before the end, and an alarm says nothing of its event', () => {
  const alarm = ['BEGIN:VALARM', 'SUMMARY:Wake', 'DURATION:PT5M', 'ATTENDEE:mailto:bot@x.test', 'END:VALARM'];
  expect(event(...alarm, 'DTSTART;VALUE=DATE:20231017', 'DTEND;VALUE=DATE:20231020', 'SUMMARY:XDC')).toMatchObject({
    ...{ summary: 'XDC', duration: '', attendees: [] },
    start: { text: '2023-10-17' },
    end: { text: '2023-10-19', isDay: true },
  });
});

test.each([
  ['FREQ=DAILY;UNTIL=20201126T100000Z;INTERVAL=2', 'every 2 days, until 2020-11-26'],
  ['FREQ=WEEKLY;WKST=SU;BYDAY=MO,WE,FR;COUNT=10', 'every week on Monday, Wednesday and Friday, 10 times'],
  ['FREQ=WEEKLY;BYDAY=TU', 'every week on Tuesday'],
  ['FREQ=YEARLY', 'every year'],
  ['', ''],
  // A rule with other parts stays as it is written.
  ['FREQ=MONTHLY;BYDAY=2TU', 'FREQ=MONTHLY;BYDAY=2TU'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  ['FREQ=SECONDLY', 'FREQ=SECONDLY'],
  ['FREQ=DAILY;UNTIL=never', 'FREQ=DAILY;UNTIL=never'],
  ['FREQ=DAILY;INTERVAL=0', 'FREQ=DAILY;INTERVAL=0'],
  ['FREQ=DAILY;COUNT=many', 'FREQ=DAILY;COUNT=many'],
  ['FREQ=DAILY;COUNT=99999999999999999999', 'FREQ=DAILY;COUNT=99999999999999999999'],
  ['FREQ=DAILY;FREQ=WEEKLY', 'FREQ=DAILY;FREQ=WEEKLY'],
  ['FREQ=CONSTRUCTOR;BYDAY=TOSTRING', 'FREQ=CONSTRUCTOR;BYDAY=TOSTRING'],
])('the rule %j is said as %j', (written, said) => {
  expect(saidRepeats(written)).toBe(said);
});

test('an event may be one date of a series, and a series may leave dates out and have others', () => {
  expect(event('RECURRENCE-ID;TZID=Europe/Berlin:20261129T090000')?.occurrence).toMatchObject({
    text: '2026-11-29 09:00:00 (Europe/Berlin)',
    andLater: false,
  });
  expect(event('RECURRENCE-ID;RANGE=THISANDFUTURE:20261129')?.occurrence).toMatchObject({ andLater: true });
  const series = [
    'RRULE:FREQ=DAILY',
    'EXDATE:20261201,20261202',
    'EXDATE:20261204',
    'RDATE:20270101',
    'RRULE:FREQ=YEARLY',
  ];
  expect(event(...series)).toMatchObject({ repeats: ['FREQ=DAILY', 'FREQ=YEARLY'], leftOut: 3, added: 1 });
});

test.each(['20261301T250000Z', '20260230T090000Z', '20260230', '20161231T235960Z', '20260101T', '2026-01-01', 'soon'])(
  'a time that there is not stays as it is written: %s',
  (written) => {
    expect(event(`DTSTART:${written}`)?.start).toEqual({ text: written, at: null, zone: '', isDay: false });
  },
);

test('an end on the day of the start is that day, though it should be the day after it', () => {
  expect(event('DTSTART:20261224', 'DTEND:20261224')?.end).toMatchObject({ text: '2026-12-24' });
});

test('a fold may divide a character', () => {
  const bytes = Buffer.from('SUMMARY:Z\u00fcrich\r\n  b\n\tc\r\nEND', 'utf8');
  const divided = Buffer.concat([bytes.subarray(0, 10), Buffer.from('\r\n '), bytes.subarray(10)]);
  expect(Buffer.from(unfoldedLines(divided)).toString()).toBe('SUMMARY:Z\u00fcrich bc\r\nEND');
});

test.each([
  ['in the same bytes', 'BEGIN:VCALENDAR', 'BEGIN:VCALENDAR', ['a']],
  [
    'as the same version of an event, written at another time',
    invitation('1', 'SUMMARY:Lunch'),
    invitation('1', 'SUMMARY:Lunch\r\nDTSTAMP:20260101T000000Z'),
    ['a'],
  ],
  ['in another version', invitation('1', 'SUMMARY:Lunch'), invitation('2', 'SUMMARY:Lunch'), []],
  [
    'with another place under the same number, which is a fault to see',
    invitation('1', 'LOCATION:A'),
    invitation('1', 'LOCATION:B'),
    [],
  ],
])('an invitation %s, beside the text and as a file, is the file alone if both say the same', (_, part, file, left) => {
  const calendars = [
    { id: 'a', filename: null, text: part },
    { id: 'b', filename: 'invite.ics', text: file },
  ];
  expect([...repeatedCalendars(calendars)]).toEqual(left);
  expect([...repeatedCalendars(calendars.toReversed())]).toEqual(left);
});

function invitation(sequence: string, line: string): string {
  const event = ['BEGIN:VEVENT', 'UID:1@x.test', `SEQUENCE:${sequence}`, line, 'END:VEVENT'];
  return ['BEGIN:VCALENDAR', 'METHOD:REQUEST', ...event, 'END:VCALENDAR', ''].join('\r\n');
}

// The examples of RFC 5545 3.6.2, 3.6.3 and 3.6.4.
test.each([
  [
    'VTODO',
    ['DTSTAMP:19980130T134500Z', 'DUE:19980415T000000', 'STATUS:NOT-STARTED', 'SUMMARY:Submit Income Taxes'],
    { kind: 'task', summary: 'Submit Income Taxes', status: 'not-started', periods: null },
    '1998-04-15 00:00:00',
  ],
  [
    'VTODO',
    ['SUMMARY:Mow\\, then rest', 'DUE;VALUE=DATE:20070501', 'BEGIN:VALARM', 'SUMMARY:Alarm', 'END:VALARM'],
    { kind: 'task', summary: 'Mow, then rest', status: '', periods: null },
    '2007-05-01',
  ],
  [
    'VJOURNAL',
    ['DTSTART;VALUE=DATE:19970317', 'SUMMARY:Staff meeting minutes', 'DESCRIPTION:1. Staff meeting'],
    { kind: 'journal', summary: 'Staff meeting minutes', status: '', periods: null },
    '1997-03-17',
  ],
  [
    'VFREEBUSY',
    [
      'DTSTART:19980313T141711Z',
      'FREEBUSY:19980314T233000Z/19980315T003000Z',
      'FREEBUSY:19980316T153000Z/19980316T163000Z,19980318T030000Z/19980318T040000Z',
      'FREEBUSY;FBTYPE=FREE:19980319T030000Z/19980319T040000Z',
    ],
    { kind: 'busy', summary: '', status: '', periods: 3 },
    '1998-03-13 14:17:11',
  ],
])('a %s is read, and is no event', (kind, lines, item, time) => {
  const text = ['BEGIN:VCALENDAR', `BEGIN:${kind}`, ...lines, `END:${kind}`, 'END:VCALENDAR', ''].join('\r\n');
  expect(calendarEvents(text)).toEqual([]);
  expect(calendarItems(text)).toMatchObject([{ ...item, time: { text: time } }]);
});
