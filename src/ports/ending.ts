/**
 * Signals that nobody waits for a result any more. It is lighter than an AbortSignal, because ten thousand may exist at
 * once.
 */
export interface Ending {
  readonly ended: boolean;
  /** Calls `act` once at the end, or at once if the end has come. The returned function cancels the call. */
  onEnd(act: () => void): () => void;
}
