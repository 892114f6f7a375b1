// The command line reads time and randomness only through this module, and the client's.

export { after, now, steady, uniqueKey as uniqueName } from '../client/environment.ts';

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `act` every `ms` milliseconds without keeping the process alive. The returned function stops it. */
export function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms).unref();
  return () => clearInterval(timer);
}

export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}
