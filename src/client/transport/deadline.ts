import { after, steady } from '../environment.ts';

/** What every call may be given. */
export interface CallOptions {
  /** Milliseconds the call may take, retries and waiting out a 429 included; the client's `timeout`, 10,000, if left out. */
  readonly timeout?: number | undefined;
  /** Ends the call when it aborts, with the signal's reason; nothing does if left out. */
  readonly signal?: AbortSignal | undefined;
}

/** The reason of a deadline's signal once its time is up. */
export const TIME_IS_UP = Symbol('time is up');

/** The end of what may take so long: its signal aborts when time is up, or with the reason of one of the signals given. */
export class Deadline {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #startedAt = steady();
  readonly #callOff: () => void;

  constructor(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    this.timeoutMs = timeoutMs;
    const undo: (() => void)[] = [];
    // A timer can't be set further ahead.
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

  /** Milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.timeoutMs - (steady() - this.#startedAt));
  }

  dispose(): void {
    this.#callOff();
  }
}
