/** Whether anybody still waits for what is being done. Lighter than an AbortSignal where ten thousand are held. */
export interface Ending {
  readonly ended: boolean;
  /** Calls `act` once, at the end, which may be now. The return value calls it off. */
  onEnd(act: () => void): () => void;
}
