import { stdin } from 'node:process';

type Act = () => unknown;

/** Keys typed where standard input is a terminal, one at a time. */
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
    // Also where a second signal ends the process at once.
    process.once('exit', this.#restore);
  }

  /** Gives the terminal back. */
  pause(): void {
    if (!this.#listening) return;
    this.#listening = false;
    process.off('exit', this.#restore);
    stdin.off('data', this.#onData).pause();
    this.#restore();
  }

  /** The key typed next, which does not do what it does otherwise; Ctrl-C does. */
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
      process.stderr.write(`mailcap: ${error instanceof Error ? error.message : String(error)}\n`);
    });
  }
}
