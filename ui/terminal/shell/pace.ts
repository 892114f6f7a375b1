/** A token bucket: it allows `burst` calls at once, and then one every `everyMs`. */
export class Pace {
  readonly #burst: number;
  readonly #everyMs: number;
  #left: number;
  #at = Number.NEGATIVE_INFINITY;

  constructor(burst: number, everyMs: number) {
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#left = burst;
  }

  /**
   * Takes a token at `now` (milliseconds) and returns 0. If none is left, it returns the milliseconds until the next
   * one.
   */
  take(now: number): number {
    const gained = Math.floor((now - this.#at) / this.#everyMs);
    if (this.#left + gained >= this.#burst) [this.#left, this.#at] = [this.#burst, now];
    else if (gained > 0) [this.#left, this.#at] = [this.#left + gained, this.#at + gained * this.#everyMs];
    if (this.#left === 0) return this.#at + this.#everyMs - now;
    this.#left--;
    return 0;
  }
}
