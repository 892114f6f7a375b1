import { stdin } from 'node:process';
import { say } from '../output.ts';

type Act = () => unknown;

/** Reads single keys from standard input, if that is a terminal. */
export class Hotkeys {
  #acts: Readonly<Record<string, Act>> = {};
  #asked: ((key: string) => void) | null = null;
  #listening = false;
  readonly #restore = () => {
    stdin.setRawMode(false);
  };

  on(acts: Readonly<Record<string, Act>>): void {
    this.#acts = acts;
  }

  listen(): void {
    if (!stdin.isTTY || this.#listening) return;
    this.#listening = true;
    stdin.setRawMode(true);
    stdin.on('data', this.#onData).resume();
    // The terminal is also restored if a second signal ends the process at once.
    process.once('exit', this.#restore);
  }

  /** Restores the terminal. */
  pause(): void {
    if (!this.#listening) return;
    this.#listening = false;
    process.off('exit', this.#restore);
    stdin.off('data', this.#onData).pause();
    this.#restore();
  }

  /** Resolves with the next key, which does not run its own action. Ctrl-C still does. */
  next(): Promise<string> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  readonly #onData = (data: Buffer): void => {
    for (const key of data.toString('latin1')) this.#typed(key);
  };

  #typed(key: string): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null) asked(key);
    if (asked !== null && key !== '\u0003') return;
    const act = Object.hasOwn(this.#acts, key) ? this.#acts[key] : undefined;
    if (act === undefined) return;
    Promise.resolve(act()).catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error));
    });
  }
}
