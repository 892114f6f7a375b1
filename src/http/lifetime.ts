/**
 * The two steps in which a server ends. A stopping server refuses new requests and finishes those under way. A closing
 * server also answers all waits, so that they do not delay the end.
 */
export class Lifetime {
  readonly #held = new Set<() => void>();
  readonly #onIdle = new Set<() => void>();
  #stopping = false;
  #closing = false;
  #underWay = 0;

  /** `true` once no new request is accepted. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** `true` once nothing more can come that a wait could return. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Calls `act` when the server closes. The returned function cancels it. */
  onClose(act: () => void): () => void {
    this.#held.add(act);
    return () => this.#held.delete(act);
  }

  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#stopping = true;
    this.#closing = true;
    for (const act of this.#held) act();
    this.#held.clear();
  }

  /** Counts a request as under way until `act` has settled. */
  async during(act: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await act();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) for (const tell of this.#onIdle) tell();
    }
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = () => {
        this.#onIdle.delete(tell);
        resolve();
      };
      this.#onIdle.add(tell);
    });
  }
}
