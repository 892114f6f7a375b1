import type { TestContext } from 'vitest';
import { steady } from '../../src/client/internal.ts';
import type { RunnerServices } from '../shared/attempt.ts';

export type TimeLeft = Pick<RunnerServices, 'leftMs' | 'limit'>;
type Task = TestContext['task'];

/** Vitest's default timeout of a hook. Vitest does not report a hook's own timeout. */
const HOOK_TIMEOUT_MS = 10_000;

/**
 * Creates a clock that measures the time left for an attempt at a test. Each hook and the test itself have separate
 * timeouts. In a hook, a wait with its own timeout keeps that timeout.
 */
export function timeLeftOf(task: Task): TimeLeft {
  let part = partOf(task);
  let startedAt = steady();
  return {
    leftMs: (asked) => {
      const now = partOf(task);
      if (now !== part) startedAt = steady();
      part = now;
      const timeout = task.timeout || Number.POSITIVE_INFINITY;
      if (part === 'test') return timeout - (steady() - startedAt);
      if (asked !== undefined && Number.isFinite(asked)) return Number.POSITIVE_INFINITY;
      return Math.max(timeout, HOOK_TIMEOUT_MS) - (steady() - startedAt);
    },
    limit: () => (part === 'test' ? "the test's own timeout" : "the hook's own timeout"),
  };
}

function partOf({ result }: Task): 'beforeEach' | 'test' | 'afterEach' {
  const hooks = result?.hooks ?? {};
  if (hooks.afterEach === 'run') return 'afterEach';
  return hooks.beforeEach === 'run' ? 'beforeEach' : 'test';
}
