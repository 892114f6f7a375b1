// The client's only way to time, chance and the environment, in any runtime that has fetch.

/** A variable of the environment, undefined where it is not set, is empty, or there is no environment. */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}

/** Null where there are no directories, as in a browser. */
export function workingDirectory(): string | null {
  return globalThis.process?.cwd?.() ?? null;
}

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** When the run of tests began: as its runner's setup says, else when this process did. Milliseconds since 1970. */
export function runStartedAt(): number {
  const told = Date.parse(variable(RUN_STARTED_AT) ?? '');
  return Number.isNaN(told) ? performance.timeOrigin : told;
}

/** The variable in which a runner's setup tells the processes of the run when it began. */
export const RUN_STARTED_AT = 'MAILCAP_RUN_STARTED_AT';

/** A steady reading to measure durations by, milliseconds. */
export function steady(): number {
  return performance.now();
}

/** Calls `act` once after so many milliseconds; the return value calls it off. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Rejects with the signal's reason when it aborts. */
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

/** A key that no other request has. */
export function uniqueKey(): string {
  return crypto.randomUUID();
}

/** 0 to below 1. */
export function chance(): number {
  return Math.random();
}

/** Lower-case letters and digits that nobody guesses, for names of mailboxes and addresses. */
export function randomName(length: number): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
