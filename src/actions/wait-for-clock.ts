import type { Clock } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';

/**
 * Waits until the clock reaches a time, because time passes or because the clock is set. Returns false if `timeoutMs`
 * of real time passed before, or if `ending` ended.
 */
export async function waitForClock(
  clock: Clock,
  time: number,
  { timeoutMs, ending }: { readonly timeoutMs: number; readonly ending: Ending },
): Promise<boolean> {
  const end = clock.steady() + timeoutMs;
  for (;;) {
    const leftMs = end - clock.steady();
    const untilMs = time - clock.now();
    if (untilMs <= 0) return true;
    if (leftMs <= 0 || ending.ended) return false;
    await nextChange(clock, Math.min(leftMs, untilMs), ending);
  }
}

/** Waits for `ms` of real time, a shift of the clock or the end. */
async function nextChange(clock: Clock, ms: number, ending: Ending): Promise<void> {
  let undo: readonly (() => void)[] = [];
  await new Promise<void>((resolve) => {
    // A timer may fire a fraction of a millisecond early.
    undo = [clock.after(Math.ceil(ms), resolve), clock.onShift(resolve), ending.onEnd(resolve)];
  });
  for (const one of undo) one();
}
