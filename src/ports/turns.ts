/** One after another, by name. */
export interface Turns {
  /** Calls `act` once all that came before under the same name has ended, however it ended. */
  take<T>(name: string, act: () => Promise<T>): Promise<T>;
}
