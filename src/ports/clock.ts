/** Time, with the offset of `PUT /_mailcap/clock`. */
export interface Clock {
  /** Milliseconds since 1970, offset included. */
  now(): number;
  offsetMs(): number;
  setOffsetMs(offsetMs: number): void;
  /** Real milliseconds, whatever the offset. Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once after real milliseconds; the return value calls it off. Does not keep the process alive. */
  after(ms: number, act: () => void): () => void;
  /** A steady reading to measure durations by, milliseconds. */
  steady(): number;
}
