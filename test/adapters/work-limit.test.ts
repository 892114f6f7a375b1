import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitWork, type TaskProgress } from '../../src/adapters/parse-thread.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A task whose progress a test sets. */
function task() {
  const done = { worked: 0, idle: 0, isLate: false };
  const progress: TaskProgress = { workedMs: () => done.worked, idleMs: () => done.idle };
  const end = limitWork(1_000, progress, () => {
    done.isLate = true;
  });
  return { done, end };
}

test('a task that never has its turn is not late, however much time passes', async () => {
  const { done, end } = task();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(done.isLate).toBe(false);
  done.worked = 999;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(done.isLate).toBe(false);
  done.worked = 1_000;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done.isLate).toBe(true);
  end();
});

test('a task whose thread waits for nothing is late', async () => {
  const { done } = task();
  done.idle = 1_000;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(done.isLate).toBe(true);
});

test('a task that ended is not late', async () => {
  const { done, end } = task();
  done.worked = 5_000;
  end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(done.isLate).toBe(false);
});
