import { after, now } from '../environment.ts';

/**
 * Loads a list again and again, one load at a time and not too often. Each load begins after the last ask for it, so
 * that its answer holds what made the list old.
 */
export class Reload {
  #startedAt = Number.NEGATIVE_INFINITY;
  #isLoading = false;
  #isAsked = false;
  #callOff: (() => void) | null = null;

  /** Asks for a load, which begins at least `apartMs` after the previous one began. */
  ask(apartMs: number, load: () => Promise<void>): void {
    this.#isAsked = true;
    if (this.#isLoading || this.#callOff !== null) return;
    const wait = this.#startedAt + apartMs - now();
    const run = () => {
      this.#callOff = null;
      this.#run(apartMs, load);
    };
    if (wait > 0) this.#callOff = after(wait, run);
    else run();
  }

  /** Drops what was asked for. The next load begins at once. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#isAsked = false;
    this.#startedAt = Number.NEGATIVE_INFINITY;
  }

  #run(apartMs: number, load: () => Promise<void>): void {
    this.#isAsked = false;
    this.#isLoading = true;
    this.#startedAt = now();
    void load().finally(() => {
      this.#isLoading = false;
      if (this.#isAsked) this.ask(apartMs, load);
    });
  }
}
