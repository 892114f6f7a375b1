import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { Duty } from '../../src/events/duty.ts';

/** Sends without a pause for so long; the share of the time that took. */
function shareOf(lengthMs: number, sliceMs: number): number {
  let now = 0;
  const duty = new Duty({ ...systemClock(), steady: () => now });
  let spent = 0;
  while (now < lengthMs) {
    const restMs = duty.restMs(sliceMs);
    now += restMs;
    if (restMs > 0) continue;
    duty.spend(sliceMs);
    spent += sliceMs;
    now += sliceMs;
  }
  return spent / now;
}

test.each([0.2, 1, 5, 20])('under load the feed takes less than a tenth of the loop, in slices of %d ms', (sliceMs) => {
  expect(shareOf(60_000, sliceMs)).toBeLessThan(0.1);
  expect(shareOf(60_000, sliceMs)).toBeGreaterThan(0.04);
});

test('after some quiet it sends at once', () => {
  let now = 0;
  const duty = new Duty({ ...systemClock(), steady: () => now });
  duty.spend(100);
  expect(duty.restMs(1)).toBeGreaterThan(0);
  now += 10_000;
  for (let i = 0; i < 20; i++) {
    expect(duty.restMs(1)).toBe(0);
    duty.spend(1);
  }
});
