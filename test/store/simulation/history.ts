import { ApiError } from '../../../src/domain/errors.ts';
import type { Store, Tx } from '../../../src/ports/store.ts';
import { Model, type ModelChange } from './model.ts';

/** Something a store did that it promised not to do. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Thrown by a body on purpose. */
export class Thrown extends Error {}

/** A transaction's body as a step sees it: the store's side, and what the model holds up to here. */
export interface Body {
  readonly tx: Tx;
  readonly model: Model;
  /** What the calls on `tx` come to. */
  change(...changes: readonly ModelChange[]): void;
}

interface Attempt {
  state: 'running' | 'written' | 'acknowledged' | 'refused';
  changes: readonly ModelChange[];
}

/** What may be there after the power went: what was acknowledged, and some first ones of what was on its way. */
export interface Moment {
  readonly acknowledged: Model;
  readonly onTheirWay: readonly (readonly ModelChange[])[];
}

/** A store lets others in only after it undid a refused transaction; its caller may hear of it some promises later. */
const PROMISES_LATER = 40;

/** Every transaction that was tried, in the order in which their bodies ran, and what became of it. */
export class History {
  #settled: Model;
  #attempts: Attempt[] = [];
  /** The changes of each transaction that was acknowledged. */
  readonly acknowledged: (readonly ModelChange[])[] = [];
  refused = 0;

  constructor(start: Model = new Model()) {
    this.#settled = start;
  }

  /** True where the store acknowledged it, false where it refused or the body threw on purpose. */
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

  /** All that was acknowledged, in the order the bodies ran; and what may be there beside it. */
  moment(): Moment {
    this.#settle();
    let acknowledged = this.#settled;
    const onTheirWay: (readonly ModelChange[])[] = [];
    for (const { state, changes } of this.#attempts) {
      if (state === 'written' && changes.length > 0) onTheirWay.push(changes);
      // What comes later builds on what came before: it can't be safe alone.
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

/** What a recovered store may hold, by how much of what was on its way is there. */
export function possible({ acknowledged, onTheirWay }: Moment): Model[] {
  const models = [acknowledged];
  for (const changes of onTheirWay) models.push((models.at(-1) ?? acknowledged).after(changes));
  return models;
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'storage_unavailable';
}
