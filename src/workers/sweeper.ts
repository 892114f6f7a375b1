import { sweep } from '../actions/sweep.ts';
import type { Context } from '../context.ts';

/**
 * The interval between two sweeps in milliseconds. It is less than half the time that the contract allows for removing
 * expired bytes (docs/contract.md#retention).
 */
const EVERY_MS = 25_000;
const LONGEST_WAIT_MS = 10 * 60_000;

/** Sweeps at once and then at intervals. The interval grows after failures. The returned function stops it. */
export function startSweeper(ctx: Context): () => Promise<void> {
  let failures = 0;
  let stopped = false;
  let cancel = () => {};
  let running: Promise<void> = Promise.resolve();

  const turn = async (): Promise<void> => {
    try {
      const removed = await sweep(ctx);
      failures = 0;
      if (removed > 0) ctx.log.debug('swept', { removed });
    } catch (error) {
      failures += 1;
      ctx.log.error('the sweep failed', { failures, error });
    }
    schedule(Math.min(EVERY_MS * 2 ** failures, LONGEST_WAIT_MS));
  };
  const schedule = (ms: number): void => {
    if (stopped) return;
    cancel = ctx.clock.after(ms, () => {
      running = turn();
    });
  };

  schedule(0);
  return async () => {
    stopped = true;
    cancel();
    await running;
  };
}
