import { setImmediate } from 'node:timers/promises';

/** Takes the steps of a long computation one by one; others are served in between. Resolves with what it returns. */
export async function betweenOthers<T>(steps: Generator<unknown, T, void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
