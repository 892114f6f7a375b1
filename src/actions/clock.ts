import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { parseClockSetting } from '../domain/time.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import { recordEvent } from './record-event.ts';
import { onClockSet, timeIn } from './time.ts';
import { type WaitBounds, waitUntil } from './waits.ts';

/**
 * Sets the clock of the server, which every workspace without a clock of its own follows. The setting survives restarts.
 * Throws `invalid_clock`.
 */
export async function setClock(ctx: Context, setting: unknown): Promise<void> {
  const offsetMs = requireOffset(ctx, setting);
  await ctx.store.transaction(async (tx) => {
    await tx.settings.setClockOffsetMs(offsetMs);
    await recordEvent(ctx, tx, 'clock.set', null, { offsetSeconds: offsetMs / 1_000 });
  });
  ctx.clock.setOffsetMs(offsetMs);
}

/**
 * Sets the clock of a workspace. Null takes it away again, so that the workspace follows the clock of the server.
 * Returns the workspace. Throws `invalid_clock`.
 */
export async function setWorkspaceClock(
  ctx: Context,
  tx: Tx,
  { clockOffsetMs: _before, ...workspace }: Workspace,
  setting: unknown,
): Promise<Workspace> {
  const offsetMs = requireOffset(ctx, setting);
  const updated = setting === null ? workspace : { ...workspace, clockOffsetMs: offsetMs };
  await tx.workspaces.update(updated);
  const offsetSeconds = setting === null ? null : offsetMs / 1_000;
  await recordEvent(ctx, tx, 'clock.set', workspace.id, { offsetSeconds });
  return updated;
}

function requireOffset({ clock }: Context, setting: unknown): number {
  const offsetMs = parseClockSetting(setting, realTime(clock));
  if (offsetMs === null) throw refuse('invalid_clock');
  return offsetMs;
}

/**
 * Waits until the clock of a workspace reaches a time, because time passes or because the clock is set. Null stands for
 * the clock of the server. Returns false if `timeoutMs` of real time passed before, or if the caller gave up.
 */
export async function waitForClock(
  ctx: Pick<Context, 'clock' | 'store'>,
  workspaceId: WorkspaceId | null,
  time: number,
  bounds: WaitBounds,
): Promise<boolean> {
  const shifts = (wake: () => void) => onClockSet(ctx, wake);
  const reached = await waitUntil(ctx.clock, bounds, [shifts], async ({ again }) => {
    const untilMs = time - (await timeIn(ctx, ctx.store.read, workspaceId));
    if (untilMs <= 0) return true;
    again(untilMs);
    return null;
  });
  return reached ?? false;
}
