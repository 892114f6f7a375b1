import type { Draw } from './draw.ts';

/** What a disk is asked to do, by the name of the port's method. */
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
  /** Does it, all at once; returns what tells the caller. */
  readonly run: () => () => void;
}

/** So often the disk takes its time, and more is asked of it meanwhile. */
const SLOW = 0.15;

/**
 * Decides which of the operations under way is done next. One is done in a turn of the event loop; nothing else makes
 * time pass, so that a seed gives the same order every time.
 */
export class Scheduler {
  readonly #draw: Draw;
  #waiting: Waiting[] = [];
  #running = false;
  #dead = false;
  /** How many operations are done. */
  done = 0;
  /** Hears of every operation after its effect and before its caller does. */
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

  /** What is under way stays so for ever. */
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
