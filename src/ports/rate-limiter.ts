import type { KeyId, WorkspaceId } from '../domain/ids.ts';
import type { RateLimitDecision } from '../domain/rate-limit.ts';

/**
 * Counts requests against the rate limits (docs/contract.md#rate-limits). A store that several servers share provides a
 * limiter that counts for all of them.
 */
export interface RateLimiter {
  /** Counts one request against the key and its workspace. Returns the stricter verdict. */
  hit(keyId: KeyId, workspaceId: WorkspaceId, now: number): Promise<RateLimitDecision>;
  reset(): Promise<void>;
}
