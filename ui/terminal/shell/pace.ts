/** Lets things happen so often and no more: `burst` at once, then one every `everyMs`. */
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

  /** Takes one at `now`, milliseconds, or gives back how long it is until there is one; 0 where it was taken. */
  take(now: number): number {
    const gained = Math.floor((now - this.#at) / this.#everyMs);
    if (this.#left + gained >= this.#burst) [this.#left, this.#at] = [this.#burst, now];
    else if (gained > 0) [this.#left, this.#at] = [this.#left + gained, this.#at + gained * this.#everyMs];
    if (this.#left === 0) return this.#at + this.#everyMs - now;
    this.#left--;
    return 0;
  }
}
