import { setImmediate } from 'node:timers/promises';

/**
 * Runs a long computation step by step and yields to the event loop between the steps. Resolves with its return value.
 */
export async function betweenOthers<T>(steps: Generator<unknown, T, void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
