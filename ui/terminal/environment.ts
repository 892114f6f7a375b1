// The only module of the terminal inbox that reads the clock or sets timers.

/** Returns the milliseconds since 1970 by the clock of this machine. */
export function now(): number {
  return Date.now();
}

/** Calls `act` once after a delay. The returned function cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Resolves after a delay, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      callOff();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const callOff = after(ms, done);
    signal.addEventListener('abort', done);
  });
}
