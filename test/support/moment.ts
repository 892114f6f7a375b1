import type { Moment } from '../../src/domain/time.ts';

/** The moment of a real time, on a server whose clock is `serverOffsetMs` from it. */
export function at(realNow: number, serverOffsetMs = 0): Moment {
  return { realNow, serverOffsetMs };
}
