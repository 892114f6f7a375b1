import { ApiError } from '../../../src/domain/errors.ts';
import type { Store, Tx } from '../../../src/ports/store.ts';
import { Model, type ModelChange } from './model.ts';

/** The error for a store that broke a promise. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** The error that a transaction body throws on purpose. */
export class Thrown extends Error {}

/** The arguments of a transaction body: the transaction of the store, and the model with all changes so far. */
export interface Body {
  readonly tx: Tx;
  readonly model: Model;
  /** Records the changes that the calls on `tx` make. */
  change(...changes: readonly ModelChange[]): void;
}

interface Attempt {
  state: 'running' | 'written' | 'acknowledged' | 'refused';
  changes: readonly ModelChange[];
}

/** The contents that a power cut may leave: everything acknowledged, plus the first few of the pending transactions. */
export interface Moment {
  readonly acknowledged: Model;
  readonly onTheirWay: readonly (readonly ModelChange[])[];
}

/**
 * The number of microtask turns to wait before a body begins. A store undoes a refused transaction before it starts the
 * next, but its caller may learn of the refusal some turns later.
 */
const PROMISES_LATER = 40;

/** All attempted transactions in the order of their bodies, and their results. */
export class History {
  #settled: Model;
  #attempts: Attempt[] = [];
  /** The changes of each acknowledged transaction. */
  readonly acknowledged: (readonly ModelChange[])[] = [];
  refused = 0;

  constructor(start: Model = new Model()) {
    this.#settled = start;
  }

  /**
   * Runs a transaction. Returns true if the store acknowledged it, and false if the store refused it or the body threw
   * on purpose.
   */
  async transact(store: Store, write: (body: Body) => Promise<void>): Promise<boolean> {
    const attempt: Attempt = { state: 'running', changes: [] };
    try {
      await store.transaction(async (tx) => {
        for (let i = 0; i < PROMISES_LATER; i++) await null;
        this.#attempts.push(attempt);
        let model = this.#working();
        const changes: ModelChange[] = [];
        await write({
          tx,
          get model() {
            return model;
          },
          change: (...more) => {
            changes.push(...more);
            model = model.after(more);
          },
        });
        attempt.changes = changes;
        attempt.state = 'written';
      });
    } catch (error) {
      attempt.state = 'refused';
      this.refused++;
      if (error instanceof Thrown || isUnavailable(error)) return false;
      throw error;
    }
    attempt.state = 'acknowledged';
    this.acknowledged.push(attempt.changes);
    return true;
  }

  /** Returns all acknowledged changes in the order of the bodies, and the changes that may survive besides. */
  moment(): Moment {
    this.#settle();
    let acknowledged = this.#settled;
    const onTheirWay: (readonly ModelChange[])[] = [];
    for (const { state, changes } of this.#attempts) {
      if (state === 'written' && changes.length > 0) onTheirWay.push(changes);
      // A transaction builds on the earlier ones, so it cannot be durable without them.
      if (state === 'acknowledged' && changes.length > 0) {
        acknowledged = onTheirWay.reduce((model, earlier) => model.after(earlier), acknowledged).after(changes);
        onTheirWay.length = 0;
      }
    }
    return { acknowledged, onTheirWay };
  }

  get quiet(): boolean {
    this.#settle();
    return this.#attempts.length === 0;
  }

  #working(): Model {
    this.#settle();
    return this.#attempts
      .filter(({ state }) => state === 'written' || state === 'acknowledged')
      .reduce((model, { changes }) => model.after(changes), this.#settled);
  }

  #settle(): void {
    let settled = 0;
    for (const { state, changes } of this.#attempts) {
      if (state !== 'acknowledged' && state !== 'refused') break;
      if (state === 'acknowledged') this.#settled = this.#settled.after(changes);
      settled++;
    }
    this.#attempts.splice(0, settled);
  }
}

/** Returns the possible contents of a recovered store, one for each number of pending transactions that survived. */
export function possible({ acknowledged, onTheirWay }: Moment): Model[] {
  const models = [acknowledged];
  for (const changes of onTheirWay) models.push((models.at(-1) ?? acknowledged).after(changes));
  return models;
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'storage_unavailable';
}
