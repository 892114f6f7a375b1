import type { Clock } from '../ports/clock.ts';

/**
 * The share of the event loop's time that a crowd of subscribers may take. It is low because each send also costs the
 * receivers processor time.
 */
const CROWD_SHARE = 0.01;
/** The share that a few subscribers may take. It is enough to send each event at once. */
const LARGEST_SHARE = 0.05;
/** The number of subscribers from which they count as a crowd. */
const CROWD = 50;
/** The largest unspent budget, in milliseconds. With it, a server that was quiet sends to all subscribers at once. */
const SAVED_MS = 25;

/** A budget of event-loop time for the feed. It grows by a share of the time that passes, and sending spends it. */
export class TimeBudget {
  readonly #clock: Clock;
  #savedMs = SAVED_MS;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.steady();
  }

  /**
   * Returns how many milliseconds to wait before `sliceMs` may be spent on this many subscribers. 0 means that budget
   * is left.
   */
  waitMs(sliceMs: number, subscribers: number): number {
    const now = this.#clock.steady();
    const share = shareOf(subscribers);
    this.#savedMs = Math.min(SAVED_MS, this.#savedMs + (now - this.#at) * share);
    this.#at = now;
    return this.#savedMs > 0 ? 0 : (sliceMs - this.#savedMs) / share;
  }

  spend(ms: number): void {
    this.#savedMs -= ms;
  }
}

function shareOf(subscribers: number): number {
  return LARGEST_SHARE - (LARGEST_SHARE - CROWD_SHARE) * Math.min(1, subscribers / CROWD);
}
