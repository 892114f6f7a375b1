import { constants } from 'node:os';
import { every } from './clock.ts';

export interface Stop {
  /** Resolves when the first signal or key asks for the end. */
  readonly asked: Promise<void>;
  /** Asks for the end. The second call ends the process at once. */
  now(): void;
}

const LOOK_EVERY_MS = 200;

/**
 * Listens for signals from now on, so that a signal during the start is not lost. If `npx mailcap` started the process,
 * it also ends when npx ends: npm sends a signal only to the shell between them, and that shell does not pass it on.
 */
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
  if (isStartedByNpx(process.env)) endWithParent(ask);
  return { asked, now: () => stop('SIGINT') };
}

/** Tells whether npx started this very command, not a program that starts mailcap to go on without it. */
export function isStartedByNpx(env: NodeJS.ProcessEnv): boolean {
  return env['npm_command'] === 'exec' && /^'?mailcap'?(\s|$)/.test(env['npm_lifecycle_script'] ?? '');
}

function endWithParent(end: () => void): void {
  const parent = process.ppid;
  const cancel = every(LOOK_EVERY_MS, () => {
    if (process.ppid === parent) return;
    cancel();
    end();
  });
}
