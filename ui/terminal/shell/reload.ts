import { after, now } from '../../../src/client/environment.ts';

/**
 * Loads a list again and again, one load at a time and not too often. Each load begins after the last ask for it, so
 * that its answer holds what made the list old.
 */
export class Reload {
  readonly #apartMs: number;
  readonly #load: () => Promise<void>;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isLoading = false;
  #isAsked = false;
  #callOff: (() => void) | null = null;

  constructor(apartMs: number, load: () => Promise<void>) {
    this.#apartMs = apartMs;
    this.#load = load;
  }

  /** Asks for a load, which begins at least `apartMs` after the previous one began. */
  ask(): void {
    this.#isAsked = true;
    if (this.#isLoading || this.#callOff !== null) return;
    const wait = this.#startedAt + this.#apartMs - now();
    if (wait > 0) this.#callOff = after(wait, () => this.#run());
    else this.#run();
  }

  /** Drops what was asked for. The next load begins at once. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#isAsked = false;
    this.#startedAt = Number.NEGATIVE_INFINITY;
  }

  #run(): void {
    this.#callOff = null;
    this.#isAsked = false;
    this.#isLoading = true;
    this.#startedAt = now();
    void this.#load().finally(() => {
      this.#isLoading = false;
      if (this.#isAsked) this.ask();
    });
  }
}
