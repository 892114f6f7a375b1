/** The close of a server, told to the requests it holds: what lets it close while ten thousand wait. */
export class Lifetime {
  readonly #held = new Set<() => void>();
  #closing = false;

  get closing(): boolean {
    return this.#closing;
  }

  /** Calls `act` when the server closes. The return value calls it off. */
  onClose(act: () => void): () => void {
    this.#held.add(act);
    return () => this.#held.delete(act);
  }

  close(): void {
    this.#closing = true;
    for (const act of this.#held) act();
    this.#held.clear();
  }
}
