import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { offsetOf, timeOf } from '../domain/moment.ts';
import { momentNow } from '../ports/clock.ts';
import type { Reader } from '../ports/store.ts';

/**
 * Returns the time in a workspace, in milliseconds since 1970: what a test observes goes by it. Null stands for what
 * belongs to no workspace, which goes by the clock of the server.
 */
export async function timeIn(
  { clock }: Pick<Context, 'clock'>,
  { workspaces }: Pick<Reader, 'workspaces'>,
  id: WorkspaceId | null,
): Promise<number> {
  const workspace = id === null ? null : await workspaces.get(id);
  return timeOf(workspace, momentNow(clock));
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
