import { expect, test } from 'vitest';
import { dateOf } from '../../../ui/model/mail-date.ts';

const AT = Date.UTC(2026, 10, 24, 9, 0, 0);

test.each([
  [{ date: 'Tue, 24 Nov 2026 10:00:00 +0100' }, { text: 'Tue, 24 Nov 2026 10:00:00 +0100', at: AT }],
  [{ date: 'Tue, 24 Nov 2026 10:00:00 +0100 (CET)' }, { text: 'Tue, 24 Nov 2026 10:00:00 +0100 (CET)', at: AT }],
  [{ date: ['24 Nov 2026 09:00:00 GMT', 'another'] }, { text: '24 Nov 2026 09:00:00 GMT', at: AT }],
  [{ date: 'yesterday' }, { text: 'yesterday', at: null }],
  [{ date: ' ' }, null],
  [{ subject: 'a' }, null],
  [null, null],
])('the date of %j is %j', (headers, date) => {
  expect(dateOf(JSON.stringify(headers))).toEqual(date);
});
