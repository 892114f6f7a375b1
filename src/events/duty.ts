import type { Clock } from '../ports/clock.ts';

/** What the feed may take of the event loop while others want it too. */
const SHARE = 0.05;
/** Time that may be saved up: a quiet server tells everybody at once. */
const SAVED_MS = 25;

/** The feed's time: it is earned at a fixed share of what passes, and spent by sending. */
export class Duty {
  readonly #clock: Clock;
  #savedMs = SAVED_MS;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.steady();
  }

  /** Milliseconds to rest until `sliceMs` may be spent, 0 where some time is left. */
  restMs(sliceMs: number): number {
    const now = this.#clock.steady();
    this.#savedMs = Math.min(SAVED_MS, this.#savedMs + (now - this.#at) * SHARE);
    this.#at = now;
    return this.#savedMs > 0 ? 0 : (sliceMs - this.#savedMs) / SHARE;
  }

  spend(ms: number): void {
    this.#savedMs -= ms;
  }
}
