// The command line's only way to time and chance.

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** A steady reading to measure durations by, milliseconds. */
export function steady(): number {
  return performance.now();
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `act` every so many milliseconds, without keeping the process; the return value ends it. */
export function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms).unref();
  return () => clearInterval(timer);
}

/** What no other message has. */
export function uniqueName(): string {
  return crypto.randomUUID();
}
