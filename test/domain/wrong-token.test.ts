import { expect, test } from 'vitest';
import {
  countWrongToken,
  delayOf,
  FORGET_MS,
  isReported,
  LONGEST_DELAY_MS,
  MOST_HELD,
  MOST_HELD_FOR_CLIENT,
  mayHold,
} from '../../src/domain/rate-limit.ts';

test.each([
  { count: 1, ms: 0 },
  { count: 3, ms: 0 },
  { count: 4, ms: 100 },
  { count: 5, ms: 200 },
  { count: 9, ms: 3_200 },
  { count: 10, ms: LONGEST_DELAY_MS },
  { count: 5_000_000, ms: LONGEST_DELAY_MS },
])('the answer to wrong token $count is held for $ms ms', ({ count, ms }) => {
  expect(delayOf(count)).toBe(ms);
});

test.each([
  { before: undefined, now: 7, count: 1 },
  { before: { count: 4, lastAt: 0 }, now: 0, count: 5 },
  { before: { count: 4, lastAt: 100 }, now: 100 + FORGET_MS - 1, count: 5 },
  { before: { count: 4, lastAt: 100 }, now: 100 + FORGET_MS, count: 1 },
])('at $now, after $before, it is number $count', ({ before, now, count }) => {
  expect(countWrongToken(before, now)).toEqual({ count, lastAt: now });
});

test.each([
  { forClient: 0, forAll: 0, may: true },
  { forClient: MOST_HELD_FOR_CLIENT - 1, forAll: MOST_HELD - 1, may: true },
  { forClient: MOST_HELD_FOR_CLIENT, forAll: MOST_HELD_FOR_CLIENT, may: false },
  { forClient: 0, forAll: MOST_HELD, may: false },
])('with $forClient held for a client and $forAll for all, one more is held: $may', ({ forClient, forAll, may }) => {
  expect(mayHold(forClient, forAll)).toBe(may);
});

test('the log reports the first wrong token, and each time that they have doubled', () => {
  const reported = Array.from({ length: 1_025 }, (_, index) => index + 1).filter(isReported);
  expect(reported).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]);
});
