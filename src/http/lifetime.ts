/**
 * The end of a server, in two steps, told to the requests it holds. Once it stops, what comes new is refused while what is
 * under way finishes. Once it closes, those who wait are answered: what lets it close while ten thousand wait.
 */
export class Lifetime {
  readonly #held = new Set<() => void>();
  readonly #onIdle = new Set<() => void>();
  #stopping = false;
  #closing = false;
  #underWay = 0;

  /** Nothing new is begun. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Nothing more will come that a wait could be for. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Calls `act` when the server closes. The return value calls it off. */
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

  /** Resolves when no request is under way any more. */
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
