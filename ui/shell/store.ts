/** A value that is replaced, never changed, and whose listeners are told when it is. */
export class Observable<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces it; who listens is told where it is another. */
  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): T => this.#value;
}
