// The client reads time, randomness and the environment only through this module, in any runtime that has fetch.

/**
 * Returns an environment variable; undefined if it is not set, is empty, or there is no environment. A shell that reads
 * a file with the line ends of Windows leaves a carriage return at its end.
 */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name]?.replace(/\r$/, '') || undefined;
}

/** Writes a time as the API does, so that a report has one form of times. */
export function apiTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** Returns the working directory; null in a runtime without directories, such as a browser. */
export function workingDirectory(): string | null {
  return globalThis.process?.cwd?.() ?? null;
}

/** Returns the current time in milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/**
 * Returns the start of the test run in milliseconds since 1970: the time that the runner's setup announced, or else
 * the start of this process.
 */
export function runStartedAt(): number {
  const told = Date.parse(variable(RUN_STARTED_AT) ?? '');
  return Number.isNaN(told) ? performance.timeOrigin : told;
}

/** The environment variable in which a runner's setup announces the start of the run to its processes. */
export const RUN_STARTED_AT = 'MAILCAP_RUN_STARTED_AT';

/** Returns the monotonic clock in milliseconds. It measures durations. */
export function steady(): number {
  return performance.now();
}

/** Calls `act` once after `ms` milliseconds. The returned function cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      callOff();
      reject(signal.reason);
    };
    const callOff = after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Tells the user something that is no error, as a warning of the process. A runtime without one tells nothing. */
export function warn(message: string, code: string): void {
  globalThis.process?.emitWarning?.(message, { code });
}

/** Returns an idempotency key that no other request has. */
export function uniqueKey(): string {
  return crypto.randomUUID();
}

/** Returns a random number from 0 to below 1. */
export function chance(): number {
  return Math.random();
}

/** Returns random lower-case letters and digits that can't be guessed, for names of mailboxes and addresses. */
export function randomName(length: number): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
