import { systemClock } from '../../src/adapters/system.ts';
import type { Clock } from '../../src/ports/system.ts';

/** Returns a clock whose timers run fifty times as fast. Timers of ten seconds or more keep their time. */
export function impatientClock(): Clock {
  const real = systemClock();
  return { ...real, after: (ms, act) => real.after(ms < 10_000 ? ms / 50 : ms, act) };
}
