import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import type { Ending } from '../ports/ending.ts';
import { onClockSet } from './on-clock-set.ts';
import { timeIn } from './workspace-time.ts';

/**
 * Waits until the clock of a workspace reaches a time, because time passes or because the clock is set. Null stands for
 * the clock of the server. Returns false if `timeoutMs` of real time passed before, or if `ending` ended.
 */
export async function waitForClock(
  ctx: Pick<Context, 'clock' | 'store'>,
  workspaceId: WorkspaceId | null,
  time: number,
  { timeoutMs, ending }: { readonly timeoutMs: number; readonly ending: Ending },
): Promise<boolean> {
  const { clock } = ctx;
  const end = clock.steady() + timeoutMs;
  let isSet = true;
  let wake = () => {};
  const notice = () => {
    isSet = true;
    wake();
  };
  // It watches before it reads, so it misses no shift.
  const undo = [onClockSet(ctx, notice), ending.onEnd(notice)];
  try {
    for (;;) {
      isSet = false;
      const untilMs = time - (await timeIn(ctx, ctx.store.read, workspaceId));
      const leftMs = end - clock.steady();
      if (untilMs <= 0) return true;
      if (leftMs <= 0 || ending.ended) return false;
      if (!isSet) {
        // A timer may fire a fraction of a millisecond early.
        const ms = Math.ceil(Math.min(leftMs, untilMs));
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      }
    }
  } finally {
    for (const one of undo) one();
  }
}
