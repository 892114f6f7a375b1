import type { Workspace } from './workspace.ts';

/** A moment as a server sees it, from which the time of each workspace follows (docs/clock.md). */
export interface Moment {
  /** The real time in milliseconds since 1970. */
  readonly realNow: number;
  /** The offset of the server's clock in milliseconds. It applies to workspaces without a clock of their own. */
  readonly serverOffsetMs: number;
}

type Clocked = Pick<Workspace, 'clockOffsetMs'> | null | undefined;

/** Returns how far the time of a workspace is from real time, in milliseconds. */
export function offsetOf(workspace: Clocked, { serverOffsetMs }: Pick<Moment, 'serverOffsetMs'>): number {
  return workspace?.clockOffsetMs ?? serverOffsetMs;
}

/** Returns the time in a workspace, in milliseconds since 1970. Without a workspace it is the time of the server. */
export function timeOf(workspace: Clocked, moment: Moment): number {
  return moment.realNow + offsetOf(workspace, moment);
}
