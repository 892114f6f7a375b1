import type { KeyId, WorkspaceId } from '../domain/ids.ts';
import type { RateLimitDecision } from '../domain/rate-limit.ts';

/** The time in the workspace of a request. */
export interface RateTime {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How far it is from real time, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Counts requests against the rate limits (docs/contract.md#rate-limits). A store that several servers share provides a
 * limiter that counts for all of them.
 */
export interface RateLimiter {
  /** Counts one request against the key and its workspace. Returns the stricter verdict. */
  hit(keyId: KeyId, workspaceId: WorkspaceId, time: RateTime): Promise<RateLimitDecision>;
  reset(): Promise<void>;
}
