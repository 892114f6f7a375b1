import { every, steady } from './clock.ts';
import { say } from './output.ts';

/** The time before the progress is shown, in milliseconds. */
const PATIENCE_MS = 1_000;
const INTERVAL_MS = 100;
/** The interval in milliseconds of the plain lines where there is no terminal. */
const LINE_EVERY_MS = 5_000;
const BAR = 24;
const SPINNER = '|/-\\';

export interface Progress {
  /** Adds to the number of items that are done. */
  add(count: number): void;
  /** Sets the total once it is known. */
  expect(total: number): void;
}

/**
 * Runs `work`. If it takes over a second at a terminal, a line on standard error shows the progress. `total` is null if
 * unknown. With `isLong` it prints a line every five seconds if there is no terminal.
 */
export async function withProgress<T>(
  what: string,
  total: number | null,
  work: (progress: Progress) => Promise<T>,
  isLong = false,
): Promise<T> {
  const startedAt = steady();
  let done = 0;
  let expected = total;
  let shown = false;
  const isShown = process.stderr.isTTY && process.env['TERM'] !== 'dumb';
  const draw = () => {
    const elapsedMs = steady() - startedAt;
    if (elapsedMs < PATIENCE_MS) return;
    shown = true;
    process.stderr.write(`\r${lineOf(what, done, expected, elapsedMs)}\u001b[K`);
  };
  const line = () => say(lineOf(what, done, expected, steady() - startedAt));
  const stop = isShown ? every(INTERVAL_MS, draw) : isLong ? every(LINE_EVERY_MS, line) : () => {};
  try {
    return await work({ add: (count) => (done += count), expect: (count) => (expected = count) });
  } finally {
    stop();
    if (shown) process.stderr.write('\r\u001b[K');
  }
}

/** Formats the progress line, with a bar if the total is known. */
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
