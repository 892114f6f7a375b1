import { every, steady } from './clock.ts';

/** What is shorter needs no bar. */
const PATIENCE_MS = 1_000;
const INTERVAL_MS = 100;
const BAR = 24;
const SPINNER = '|/-\\';

export interface Progress {
  /** So many more are done. */
  add(count: number): void;
}

/** Runs `work`; where it takes over a second on a terminal, a line on standard error shows how far it is. `total` null: nobody knows. */
export async function withProgress<T>(
  what: string,
  total: number | null,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const startedAt = steady();
  let done = 0;
  let shown = false;
  const isShown = process.stderr.isTTY && process.env['TERM'] !== 'dumb';
  const draw = () => {
    const elapsedMs = steady() - startedAt;
    if (elapsedMs < PATIENCE_MS) return;
    shown = true;
    process.stderr.write(`\r${lineOf(what, done, total, elapsedMs)}\u001b[K`);
  };
  const stop = isShown ? every(INTERVAL_MS, draw) : () => {};
  try {
    return await work({ add: (count) => (done += count) });
  } finally {
    stop();
    if (shown) process.stderr.write('\r\u001b[K');
  }
}

/** The line as it stands: a bar where the end is known. */
export function lineOf(what: string, done: number, total: number | null, elapsedMs: number): string {
  const rate = done === 0 ? '' : ` ${Math.round((done * 1_000) / elapsedMs).toLocaleString('en')}/s`;
  if (total === null || total === 0) {
    const turn = SPINNER[Math.floor(elapsedMs / INTERVAL_MS) % SPINNER.length];
    return `${turn} ${what}${done === 0 ? '' : ` ${done.toLocaleString('en')}`}${rate}`;
  }
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
  return `${what} [${bar}] ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${rate}`;
}
