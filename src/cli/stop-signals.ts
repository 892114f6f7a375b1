import { constants } from 'node:os';

export interface Stop {
  /** Resolves when the first signal or key asks for the end. */
  readonly asked: Promise<void>;
  /** Asks for the end. The second call ends the process at once. */
  now(): void;
}

/** Listens for signals from now on, so that a signal during the start is not lost. */
export function untilStopped(): Stop {
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let times = 0;
  const stop = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    times += 1;
    if (times > 1) process.exit(128 + constants.signals[signal]);
    ask();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  return { asked, now: () => stop('SIGINT') };
}
