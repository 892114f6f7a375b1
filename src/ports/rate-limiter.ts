import type { KeyId, WorkspaceId } from '../domain/ids.ts';
import type { Verdict } from '../domain/rate-limit.ts';

/** Counts requests. A store shared by several servers brings one that counts for all of them. */
export interface RateLimiter {
  /** Counts one request of the key and of its workspace; the tighter verdict. */
  hit(keyId: KeyId, workspaceId: WorkspaceId, now: number): Verdict;
  reset(): void;
}
