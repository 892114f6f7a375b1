import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRows, previewKind } from '../../../ui/web/mail/attachment-kinds.ts';

test.each([
  ['image/PNG', 'a.png', 'picture'],
  ['application/pdf', 'a', 'pdf'],
  ['application/octet-stream', 'a.PDF', 'pdf'],
  ['text/csv; charset=utf-8', 'a', 'table'],
  ['application/vnd.ms-excel', 'a.csv', 'table'],
  ['application/ld+json', 'a', 'json'],
  ['text/calendar; method=REQUEST', 'a', 'calendar'],
  ['application/ics', '', 'calendar'],
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
