import type { Clock } from '../ports/clock.ts';

/** The time in milliseconds after which a turn of the event loop starts no more requests. */
const MOST_MS = 10;
/**
 * The most requests that are started in a row, because the work of most of them only begins when the event loop goes
 * on.
 */
const IN_A_ROW = 8;

/** Takes one piece of what a connection has sent. Returns whether a request began. */
export type Take = () => boolean;

/**
 * Shares the time of the event loop among connections. A connection that has sent one request goes before those that
 * have sent many at once, and these take turns, one request each.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #first = new Set<Take>();
  readonly #more = new Set<Take>();
  /** The last time when a turn is known to have begun. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.#clock = clock;
  }

  /**
   * Tells whether a first piece may be taken at once. Without work that waits, nothing tells when a turn begins, so this
   * is false now and then although there would be time. That costs less than to be called in each turn.
   */
  get hasTime(): boolean {
    return this.#first.size === 0 && !this.#isOver;
  }

  /** Calls `take` in a later turn. */
  later(take: Take, isFirst: boolean): void {
    (isFirst ? this.#first : this.#more).add(take);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#next());
  }

  forget(take: Take): void {
    this.#first.delete(take);
    this.#more.delete(take);
  }

  get #isOver(): boolean {
    return this.#clock.steady() - this.#beganAt >= MOST_MS;
  }

  #next(): void {
    this.#isDue = this.#first.size + this.#more.size > 0;
    if (!this.#isDue) return;
    setImmediate(() => this.#next());
    this.#beganAt = this.#clock.steady();
    this.#takeFrom(this.#first);
    this.#takeFrom(this.#more);
  }

  /** Takes at least one piece, so that neither kind of connection starves the other. */
  #takeFrom(queue: Set<Take>): void {
    let begun = 0;
    for (const take of queue) {
      queue.delete(take);
      if (take()) begun++;
      if (begun >= IN_A_ROW || this.#isOver) return;
    }
  }
}
