import { expect, test } from 'vitest';
import { countRequest, judgeRate, type RateWindow, tighter } from '../../src/domain/rate-limit.ts';

const verdict = (used: number, limit: number, openedAt = 0, now = 0) => judgeRate({ openedAt, used }, limit, now);

test('windows of 60 s open at the first request', () => {
  let window: RateWindow | undefined;
  window = countRequest(window, 5_000);
  expect(window).toEqual({ openedAt: 5_000, used: 1 });
  window = countRequest(window, 64_999);
  expect(window).toEqual({ openedAt: 5_000, used: 2 });
  window = countRequest(window, 65_000);
  expect(window).toEqual({ openedAt: 65_000, used: 1 });
});

test('a clock set back opens a new window', () => {
  expect(countRequest({ openedAt: 5_000, used: 99 }, 4_999)).toEqual({ openedAt: 4_999, used: 1 });
});

test('the hundredth request of a key is allowed, the next is not', () => {
  expect(verdict(100, 100)).toMatchObject({ allowed: true, remaining: 0 });
  expect(verdict(101, 100)).toMatchObject({ allowed: false, remaining: 0 });
});

test.each([
  [0, 60],
  [1, 60],
  [59_000, 1],
  [59_999, 1],
])('%s ms into a window it ends in %s whole seconds, 1 or more', (now, seconds) => {
  expect(verdict(1, 100, 0, now).resetSeconds).toBe(seconds);
});

test('the headers have the tighter limit: the one that refuses, else the one with less left', () => {
  const roomy = verdict(1, 1_000);
  const tight = verdict(90, 100);
  const over = verdict(101, 100);
  expect(tighter(roomy, tight)).toBe(tight);
  expect(tighter(tight, roomy)).toBe(tight);
  expect(tighter(over, roomy)).toBe(over);
  expect(tighter(roomy, over)).toBe(over);
});

test('if both limits refuse, Retry-After is that of the longer one', () => {
  const short = verdict(101, 100, 0, 50_000);
  const long = verdict(1_001, 1_000, 40_000, 50_000);
  expect(tighter(short, long)).toBe(long);
  expect(tighter(long, short)).toBe(long);
});
