import { after, steady } from '../environment.ts';

/** The options of every call. */
export interface CallOptions {
  /**
   * The longest time the call may take, in milliseconds, retries and pauses after a 429 included. Default: the client's
   * `timeout`, which is 10,000.
   */
  readonly timeout?: number | undefined;
  /** Aborts the call with the signal's reason. Without it, only the client's own signal aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** The reason with which a deadline's signal aborts when its time is up. */
export const TIME_IS_UP = Symbol('time is up');

/**
 * A deadline after `timeoutMs` milliseconds. Its signal aborts when the time is up, or when one of the given signals
 * aborts.
 */
export class Deadline {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #startedAt = steady();
  readonly #callOff: () => void;

  constructor(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    this.timeoutMs = timeoutMs;
    const undo: (() => void)[] = [];
    // A timer can't be set further ahead than this, about 25 days.
    if (timeoutMs <= 0x7fffffff) undo.push(after(timeoutMs, () => this.#controller.abort(TIME_IS_UP)));
    for (const signal of signals) {
      if (signal === undefined) continue;
      const abort = () => this.#controller.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      undo.push(() => signal.removeEventListener('abort', abort));
    }
    this.#callOff = () => {
      for (const one of undo) one();
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.signal.reason === TIME_IS_UP;
  }

  /** The time left in milliseconds, 0 at least. */
  get leftMs(): number {
    return Math.max(0, this.timeoutMs - (steady() - this.#startedAt));
  }

  dispose(): void {
    this.#callOff();
  }
}
