import { expect, test, vi } from 'vitest';
import { clockOf } from '../../src/client/clock.ts';

test('a pause that is longer than the limit of a timer lasts its whole time', async () => {
  vi.useFakeTimers();
  try {
    const { until, now } = clockOf(null, new AbortController().signal);
    const days = 60 * 24 * 60 * 60 * 1_000;
    let isOver = false;
    void until((await now()) + days).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(days - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
