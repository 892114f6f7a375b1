import { expect, test } from 'vitest';
import { saidCount, saidNumber } from '../../src/text/said.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567, '1,234,567'],
])('the number %i is written %s', (count, text) => {
  expect(saidNumber(count)).toBe(text);
  expect(count.toLocaleString('en-US')).toBe(text);
});

test('a count has its thing in singular or plural', () => {
  expect([1, 2, 1_500].map((count) => saidCount(count, 'mailbox', 'mailboxes'))).toEqual([
    '1 mailbox',
    '2 mailboxes',
    '1,500 mailboxes',
  ]);
});
