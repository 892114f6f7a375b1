import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports/clock.ts';

// The largest delay of setTimeout. A larger one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates the system's clock with an adjustable offset. */
export function systemClock(): Clock {
  let offset = 0;
  const shifted = new Set<() => void>();
  let followed = 0;
  return {
    now: () => Date.now() + followed + offset,
    offsetMs: () => offset,
    setOffsetMs: (offsetMs) => {
      offset = Math.trunc(offsetMs);
      for (const act of [...shifted]) act();
    },
    onShift: (act) => {
      // The wrapper makes each registration separate, even if the same function is registered twice.
      const own = () => act();
      shifted.add(own);
      return () => shifted.delete(own);
    },
    follow: (byMs) => {
      followed += Math.trunc(byMs);
    },
    sleep,
    after,
    steady: () => performance.now(),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, LONGEST_TIMER_MS));
  timer.unref();
  return () => clearTimeout(timer);
}
