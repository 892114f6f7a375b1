import type { Clock } from '../../src/ports/system.ts';

/** A clock that stands still until a test moves it. Timers run when their time passes. */
export interface ManualClock extends Clock {
  /** Moves the time forward and runs the timers that are due. */
  pass(ms: number): void;
  /** The times in milliseconds until the pending timers. */
  readonly dueIn: readonly number[];
}

export function manualClock(start = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let real = start;
  let offset = 0;
  const shifted = new Set<() => void>();
  let putOff: { readonly at: number; readonly act: () => void }[] = [];

  const after = (ms: number, act: () => void) => {
    const timer = { at: real + ms, act };
    putOff.push(timer);
    return () => {
      putOff = putOff.filter((other) => other !== timer);
    };
  };

  return {
    now: () => real + offset,
    offsetMs: () => offset,
    setOffsetMs: (offsetMs) => {
      offset = offsetMs;
      for (const act of [...shifted]) act();
    },
    onShift: (act) => {
      shifted.add(act);
      return () => shifted.delete(act);
    },
    follow: (byMs) => {
      real += byMs;
    },
    steady: () => real,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const cancel = after(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      }),
    get dueIn() {
      return putOff.map(({ at }) => at - real);
    },
    pass: (ms) => {
      const end = real + ms;
      for (;;) {
        const due = putOff.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        putOff = putOff.filter((timer) => timer !== due);
        real = Math.max(real, due.at);
        due.act();
      }
      real = end;
    },
  };
}
