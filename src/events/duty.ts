import type { Clock } from '../ports/clock.ts';

/** What a crowd of subscribers may take of the event loop while others want it too: a send costs its receivers as well. */
const CROWD_SHARE = 0.01;
/** The few of a quiet server may take this, and are told at once. */
const LARGEST_SHARE = 0.05;
/** From so many on they are a crowd. */
const CROWD = 50;
/** Time that may be saved up: a quiet server tells everybody at once. */
const SAVED_MS = 25;

/** The feed's time: it is earned at a share of what passes, and spent by sending. */
export class Duty {
  readonly #clock: Clock;
  #savedMs = SAVED_MS;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.steady();
  }

  /** Milliseconds to rest until `sliceMs` may be spent on so many subscribers, 0 where some time is left. */
  restMs(sliceMs: number, subscribers: number): number {
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
