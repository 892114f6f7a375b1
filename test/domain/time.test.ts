import { expect, test } from 'vitest';
import { parseTime, utcDay, writeTime } from '../../src/domain/time.ts';

const AT = Date.UTC(2026, 10, 20, 15, 55, 21, 123);

test('times are written in UTC with milliseconds and offset', () => {
  expect(writeTime(AT)).toBe('2026-11-20T15:55:21.123+00:00');
  expect(writeTime(0)).toBe('1970-01-01T00:00:00.000+00:00');
});

test.each([
  ['2026-11-20T15:55:21.123+00:00', AT],
  ['2026-11-20T15:55:21.123Z', AT],
  ['2026-11-20t15:55:21.123z', AT],
  ['2026-11-20 15:55:21.123Z', AT],
  ['2026-11-20T17:25:21.123+01:30', AT],
  ['2026-11-20T17:25:21,123+0130', AT],
  ['2026-11-20T16:55:21.123+01', AT],
  ['2026-11-20T05:55:21.123-10:00', AT],
  ['2026-11-21T05:55:21.123+14:00', AT],
  ['2026-11-20T15:55:21.123999999Z', AT],
  ['2026-11-20T15:55:21Z', AT - 123],
  ['2026-11-20T15:55Z', AT - 21_123],
  // A time without an offset is UTC.
  ['2026-11-20T15:55:21.123', AT],
  ['2026-11-20 15:55', AT - 21_123],
  ['2026-11-20T15:55:21.1Z', AT - 23],
  ['  2026-11-20T15:55:21.123Z ', AT],
  // In an unencoded `?since=...+00:00`, the plus arrives as a space.
  ['2026-11-20T15:55:21.123 00:00', AT],
  ['2026-11-20T16:55:21.123 0100', AT],
  ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
])('input accepts any ISO 8601 offset: %s', (text, ms) => {
  expect(parseTime(text)).toBe(ms);
});

test.each([
  '',
  'yesterday',
  '1700000000',
  '2026-11-20',
  '2026-02-30T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T15:60:00Z',
  '2026-11-20T15:55:21+99:00',
  '2026-11-20T15:55:21.123Z; DROP TABLE',
  'Fri, 20 Nov 2026 15:55:21 GMT',
])('what is no date and time is unreadable: %j', (text) => {
  expect(parseTime(text)).toBeNull();
});

test('a day is a UTC day', () => {
  expect(utcDay(Date.UTC(2026, 10, 20, 23, 59, 59, 999))).toBe('2026-11-20');
  expect(utcDay(Date.UTC(2026, 10, 21))).toBe('2026-11-21');
});
