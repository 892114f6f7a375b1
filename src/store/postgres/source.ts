import type { Query } from './connection.ts';
import type { SmallState } from './small-state.ts';

/** Where reads come from: the database, and the small rows in memory. */
export interface Source {
  readonly query: Query;
  /** Returns the small rows, as fresh as the read needs. */
  small(): Promise<SmallState>;
}

/** Returns the limit as PostgreSQL takes it. Null means no limit. */
export function limitOf(limit: number): number | null {
  return Number.isFinite(limit) ? Math.max(0, limit) : null;
}

/** Returns a moment that PostgreSQL takes. */
export function momentOf(time: number): number {
  return Number.isFinite(time) ? time : time > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}
