import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

/** The time in milliseconds that all SMTP clients together may take in one turn of the event loop. */
const MOST_MS = 10;

/**
 * Limits how long commands and the scan of incoming mail hold the event loop. Node reads up to 32 chunks of a fast
 * sender in one turn, a chunk holds thousands of commands, and a chunk of a hostile mail costs some milliseconds.
 */
export class Turn {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #nextTurn: () => Promise<unknown>;
  #spentMs = 0;
  /** Settles with the next turn. Null if this turn has done no work yet. */
  #next: Promise<void> | null = null;

  /** @param nextTurn settles with the next turn of the event loop */
  constructor(clock: Pick<Clock, 'steady'>, nextTurn: () => Promise<unknown> = () => setImmediate()) {
    this.#clock = clock;
    this.#nextTurn = nextTurn;
  }

  /**
   * Does one step of work. Returns undefined if this turn had time left for it, otherwise a promise for a later turn.
   * A step that fails at once throws here.
   */
  do(step: () => void): Promise<void> | undefined {
    if (this.#isSpent) return this.#doLater(step);
    this.#do(step);
    return undefined;
  }

  get #isSpent(): boolean {
    return this.#next !== null && this.#spentMs >= MOST_MS;
  }

  async #doLater(step: () => void): Promise<void> {
    while (this.#isSpent) await this.#next;
    this.#do(step);
  }

  #do(step: () => void): void {
    const before = this.#clock.steady();
    this.#next ??= this.#nextTurn().then(() => {
      this.#spentMs = 0;
      this.#next = null;
    });
    step();
    this.#spentMs += this.#clock.steady() - before;
  }
}
