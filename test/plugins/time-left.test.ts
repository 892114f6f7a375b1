import { expect, test } from 'vitest';
import { timeLeftOf } from '../../plugins/vitest/fixtures.ts';

type Task = Parameters<typeof timeLeftOf>[0];

function taskIn(hooks: Record<string, string>, timeout = 1_000): Task {
  return { timeout, result: { hooks } } as unknown as Task;
}

test('a wait ends before its test does, whatever its own timeout', () => {
  const { leftMs, limit } = timeLeftOf(taskIn({ beforeEach: 'pass' }));
  for (const left of [leftMs(), leftMs(60_000)]) {
    expect(left).toBeGreaterThan(500);
    expect(left).toBeLessThanOrEqual(1_000);
  }
  expect(limit()).toBe("the test's own timeout");
});

test.each(['beforeEach', 'afterEach'])("in %s a wait that is given no timeout ends before Vitest's default", (hook) => {
  const { leftMs, limit } = timeLeftOf(taskIn({ [hook]: 'run' }));
  expect(leftMs()).toBeGreaterThan(9_000);
  expect(leftMs()).toBeLessThanOrEqual(10_000);
  expect(leftMs(60_000)).toBe(Number.POSITIVE_INFINITY);
  // An authenticator waits as long as it must.
  expect(leftMs(Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(10_000);
  expect(limit()).toBe("the hook's own timeout");
});

test('a hook of a test that may take longer may too', () => {
  expect(timeLeftOf(taskIn({ beforeEach: 'run' }, 30_000)).leftMs()).toBeGreaterThan(29_000);
});

test('a test without a timeout has no end', () => {
  expect(timeLeftOf(taskIn({}, 0)).leftMs()).toBe(Number.POSITIVE_INFINITY);
});
