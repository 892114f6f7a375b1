import type { Moment } from '../domain/moment.ts';

/** The time. `PUT /_mailcap/clock` sets its offset. */
export interface Clock {
  /** The time in milliseconds since 1970, with the offset. */
  now(): number;
  offsetMs(): number;
  setOffsetMs(offsetMs: number): void;
  /** Calls `act` after each change of the offset. The returned function removes the listener. */
  onShift(act: () => void): () => void;
  /**
   * Moves the clock by this many milliseconds, to follow the clock of the database that several servers share. It does
   * not change the offset.
   */
  follow(byMs: number): void;
  /** Waits for real milliseconds. The offset has no effect. Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `act` once after real milliseconds. The returned function cancels the call. The timer does not keep the
   * process alive.
   */
  after(ms: number, act: () => void): () => void;
  /** A monotonic reading in milliseconds, to measure durations. */
  steady(): number;
}

/** Returns the real time in milliseconds since 1970, without the offset. */
export function realTime(clock: Pick<Clock, 'now' | 'offsetMs'>): number {
  return clock.now() - clock.offsetMs();
}

/** Returns the present moment, from which the time of each workspace follows. */
export function momentNow(clock: Pick<Clock, 'now' | 'offsetMs'>): Moment {
  return { realNow: realTime(clock), serverOffsetMs: clock.offsetMs() };
}
