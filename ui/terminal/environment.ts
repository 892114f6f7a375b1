// The terminal inbox's only way to time.

/** Milliseconds since 1970 by this machine. */
export function now(): number {
  return Date.now();
}

/** Calls `act` once after so many milliseconds; the return value calls it off. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Resolves after so long, or as soon as the signal aborts. */
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
