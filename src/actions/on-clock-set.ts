import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { offsetIn } from './workspace-time.ts';

/**
 * Calls `act` after any clock may have been set: the server's or a workspace's, on this server or another one. The
 * returned function ends it.
 */
export function onClockSet({ clock, store }: Pick<Context, 'clock' | 'store'>, act: () => void): () => void {
  const undo = [
    clock.onShift(act),
    store.onCommit(({ clocks, all }) => {
      if (clocks || all) act();
    }),
  ];
  return () => {
    for (const one of undo) one();
  };
}

/** Calls `act` after each shift of the time in a workspace. It resolves when it watches, with the function that ends it. */
export async function onShiftIn(
  ctx: Pick<Context, 'clock' | 'store'>,
  id: WorkspaceId,
  act: () => void,
): Promise<() => void> {
  let last: number | null = null;
  const look = async (): Promise<void> => {
    const offset = await offsetIn(ctx, ctx.store.read, id);
    const isShifted = last !== null && offset !== last;
    last = offset;
    if (isShifted) act();
  };
  // A store that can't be read now answers no wait either, and the next commit leads to another look.
  const stop = onClockSet(ctx, () => void look().catch(() => {}));
  try {
    await look();
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}
