/** The callers that wait for addresses, in the order in which they came. They are those of this server. */
export interface ClaimTurns {
  /** Puts a caller behind all that wait now. `keys` are the forms of its claims that are compared. */
  join(keys: readonly string[]): ClaimTurn;
}

/** The place of one caller. */
export interface ClaimTurn {
  /** Tells whether nobody who came earlier waits for one of the same addresses. */
  isFirst(): boolean;
  /** Calls `act` when another caller leaves. The returned function ends that. */
  onChange(act: () => void): () => void;
  leave(): void;
}
