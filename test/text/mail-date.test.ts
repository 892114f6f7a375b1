import { expect, test } from 'vitest';
import { readMailDate } from '../../src/text/mail-date.ts';

test.each([
  ['Fri, 20 Nov 2026 15:55:21 +0100', '2026-11-20T14:55:21.000Z', 60],
  ['20 Nov 2026 15:55 -0730', '2026-11-20T23:25:00.000Z', -450],
  ['Fri,  1 Jan 99 00:00:00 GMT', '1999-01-01T00:00:00.000Z', 0],
  ['Sat, 1 Jan 05 00:00:00 EST', '2005-01-01T05:00:00.000Z', -300],
  ['Fri, 21 Nov 1997 09(comment):   55  :  06 -0600', '1997-11-21T15:55:06.000Z', -360],
  [
    'Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n               -0330 (Newfoundland Time)',
    '1969-02-14T03:02:00.000Z',
    -210,
  ],
  ['Thu, 18 Oct 2012 22:48:39 -0700 (PDT)', '2012-10-19T05:48:39.000Z', -420],
])('%s', (text, time, offsetMinutes) => {
  const date = readMailDate(text);
  expect([new Date(date?.time ?? 0).toISOString(), date?.offsetMinutes]).toEqual([time, offsetMinutes]);
});

test.each(['', 'yesterday', '2026-11-20T15:55:21Z', '32 Nov 2026 10:00 +0000', '1 Foo 2026 10:00', '1 Nov 2026 24:00'])(
  '%j is no date of a mail',
  (text) => {
    expect(readMailDate(text)).toBeNull();
  },
);
