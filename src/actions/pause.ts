import type { Clock } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';

/** Waits for `ms` of real time, or until `ending` ends. */
export function pauseUntil(clock: Clock, ms: number, ending: Ending): Promise<void> {
  return new Promise((resolve) => {
    let timeOut = (): void => {};
    const ended = ending.onEnd(() => {
      timeOut();
      resolve();
    });
    if (ending.ended) return;
    timeOut = clock.after(ms, () => {
      ended();
      resolve();
    });
  });
}
