// The command line reads time and randomness only through this module.

/** Returns the current time in milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** Returns the monotonic clock in milliseconds. It measures durations. */
export function steady(): number {
  return performance.now();
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `act` once after a delay. The returned function cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Calls `act` every `ms` milliseconds without keeping the process alive. The returned function stops it. */
export function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms).unref();
  return () => clearInterval(timer);
}

/** Returns a name that no other message has. */
export function uniqueName(): string {
  return crypto.randomUUID();
}

export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}
