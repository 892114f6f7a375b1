import type { TestContext } from 'vitest';
import { steady } from '../../src/client/internal.ts';
import type { Runner } from '../shared/attempt.ts';

export type TimeLeft = Pick<Runner, 'leftMs' | 'limit'>;
type Task = TestContext['task'];

/** Vitest's default. It does not tell what a hook was given. */
const HOOK_TIMEOUT_MS = 10_000;

/**
 * The time an attempt at a test has left, from now on. Each of its hooks has a timeout of its own, and so has the test itself,
 * which begins after them: none of them takes from another. A wait in a hook that was given a timeout is taken at its word.
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
