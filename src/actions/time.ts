import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { offsetOf } from '../domain/time.ts';
import type { Reader } from '../ports/store.ts';
import { type Clock, momentNow, realTime } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';

/**
 * Returns the time in a workspace, in milliseconds since 1970: what a test observes goes by it. Null stands for what
 * belongs to no workspace, which goes by the clock of the server.
 */
export async function timeIn(
  ctx: Pick<Context, 'clock'>,
  reader: Pick<Reader, 'workspaces'>,
  id: WorkspaceId | null,
): Promise<number> {
  const offsetMs = await offsetIn(ctx, reader, id);
  return realTime(ctx.clock) + offsetMs;
}

/** Returns how far the time in a workspace is from real time, in milliseconds. */
export async function offsetIn(
  { clock }: Pick<Context, 'clock'>,
  { workspaces }: Pick<Reader, 'workspaces'>,
  id: WorkspaceId | null,
): Promise<number> {
  const workspace = id === null ? null : await workspaces.get(id);
  return offsetOf(workspace, momentNow(clock));
}

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

/** Waits for `ms` of real time, or until nobody waits any more. */
export function pauseUntil(clock: Clock, ms: number, cancelSignal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    let timeOut = (): void => {};
    const calledOff = cancelSignal.onCancel(() => {
      timeOut();
      resolve();
    });
    if (cancelSignal.isCancelled) return;
    timeOut = clock.after(ms, () => {
      calledOff();
      resolve();
    });
  });
}

/** Runs work with a signal that aborts when the caller gives up. */
export async function during<T>(cancelSignal: CancelSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cut = new AbortController();
  const off = cancelSignal.onCancel(() => cut.abort());
  try {
    return await work(cut.signal);
  } finally {
    off();
  }
}
