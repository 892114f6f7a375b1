import type { Draw } from './draw.ts';

/** The operations of a disk, by the names of the port's methods. */
export type OperationName =
  | 'makeDirectory'
  | 'list'
  | 'stat'
  | 'open'
  | 'link'
  | 'rename'
  | 'unlink'
  | 'removeDirectory'
  | 'touch'
  | 'syncDirectory'
  | 'space'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'facts'
  | 'close';

export interface Operation {
  readonly name: OperationName;
  readonly path: string;
}

interface Waiting {
  readonly operation: Operation;
  /** Performs the whole operation and returns the function that notifies the caller. */
  readonly run: () => () => void;
}

/** The probability that the disk pauses, so that more operations queue up. */
const SLOW = 0.15;

/**
 * Decides which pending operation is performed next. Each takes one turn of the event loop, and nothing else makes time
 * pass. The same seed therefore gives the same order.
 */
export class Scheduler {
  readonly #draw: Draw;
  #waiting: Waiting[] = [];
  #running = false;
  #dead = false;
  /** The number of finished operations. */
  done = 0;
  /** Called for every operation, after its effect and before its caller is notified. */
  observer: ((operation: Operation) => void) | null = null;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  get dead(): boolean {
    return this.#dead;
  }

  perform<T>(name: OperationName, path: string, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#dead) return;
      const run = () => {
        try {
          const value = effect();
          return () => resolve(value);
        } catch (error) {
          return () => reject(error);
        }
      };
      this.#waiting.push({ operation: { name, path }, run });
      if (!this.#running) this.#next();
    });
  }

  /** Stops the disk. Pending operations never complete. */
  die(): void {
    this.#dead = true;
    this.#waiting = [];
  }

  #next(): void {
    this.#running = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    if (this.#dead) return;
    if (this.#draw.chance(SLOW)) {
      this.#next();
      return;
    }
    const [chosen] = this.#waiting.splice(this.#draw.int(this.#waiting.length), 1);
    if (chosen !== undefined) {
      const tell = chosen.run();
      this.done++;
      this.observer?.(chosen.operation);
      if (this.#dead) return;
      tell();
    }
    this.#running = this.#waiting.length > 0;
    if (this.#running) this.#next();
  }
}
