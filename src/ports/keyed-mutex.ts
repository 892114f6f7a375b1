/** A mutex for each key: work under one key runs one at a time, in the order in which it was asked for. */
export interface KeyedMutex {
  /** Runs `work` once all earlier work under the same key has ended, whether it succeeded or failed. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
}
