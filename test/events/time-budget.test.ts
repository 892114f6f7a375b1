import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { TimeBudget } from '../../src/events/outbox.ts';

/** Sends events without a pause for a time and returns the share of that time which sending took. */
function shareOf(lengthMs: number, sliceMs: number, subscribers: number): number {
  let now = 0;
  const budget = new TimeBudget({ ...systemClock(), steady: () => now });
  let spent = 0;
  while (now < lengthMs) {
    const restMs = budget.waitMs(sliceMs, subscribers);
    now += restMs;
    if (restMs > 0) continue;
    budget.spend(sliceMs);
    spent += sliceMs;
    now += sliceMs;
  }
  return spent / now;
}

test.each([0.2, 1, 5, 20])(
  'under load the feed takes about a twentieth of the event loop, in slices of %d ms',
  (sliceMs) => {
    expect(shareOf(60_000, sliceMs, 1)).toBeLessThan(0.06);
    expect(shareOf(60_000, sliceMs, 1)).toBeGreaterThan(0.04);
  },
);

test.each([50, 500, 2_000])('a crowd of %d subscribers gets a hundredth', (subscribers) => {
  expect(shareOf(60_000, 5, subscribers)).toBeLessThan(0.015);
  expect(shareOf(60_000, 5, subscribers)).toBeGreaterThan(0.008);
});

test('after a quiet time it sends at once', () => {
  let now = 0;
  const budget = new TimeBudget({ ...systemClock(), steady: () => now });
  budget.spend(100);
  expect(budget.waitMs(1, 1)).toBeGreaterThan(0);
  now += 10_000;
  for (let i = 0; i < 20; i++) {
    expect(budget.waitMs(1, 1)).toBe(0);
    budget.spend(1);
  }
});
