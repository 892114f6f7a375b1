import type { CapturedRequest } from './captured-request.ts';

// The captured requests of an interceptor, and those of all interceptors, have a quota
// (docs/webhooks.md#how-much-is-kept).
// Anybody with a capture URL may send as much as they like, so the oldest requests make room for the newest ones.

/** The quotas, as sums of {@link heldBytes}. */
export interface CaptureQuotas {
  /** The most that the requests of one interceptor take. */
  readonly captureQuota: number;
  /** The most that the requests of all interceptors take. */
  readonly captureTotal: number;
}

/** The bytes that a row takes in memory besides its texts, roughly. */
const ROW_BYTES = 1024;
/**
 * The bytes in memory count this many times. The row of a request stays in memory, twice as text and in several
 * indexes, while its header and body are on the disk. So a flood of tiny requests is bounded where it weighs most.
 */
const MEMORY_FACTOR = 4;
/** A removal frees this share of the quota, so that a flood does not remove one request for each new one. */
const SLACK_SHARE = 16;

type Held = Pick<
  CapturedRequest,
  'sizeBytes' | 'headerBytes' | 'forwardResponseBytes' | 'path' | 'query' | 'contentType' | 'forwardError'
>;

/** Returns the bytes that a request counts against the quotas. */
export function heldBytes(request: Held): number {
  const { sizeBytes, headerBytes = 0, forwardResponseBytes = 0, path, query, contentType, forwardError } = request;
  const texts = path.length + (query?.length ?? 0) + (contentType?.length ?? 0) + (forwardError?.length ?? 0);
  return sizeBytes + headerBytes + forwardResponseBytes + MEMORY_FACTOR * (ROW_BYTES + texts);
}

/**
 * Returns the bytes that have to go if `held` bytes are over a quota, with some more for the next requests. Null if
 * nothing has to go.
 */
export function excessOf(held: number, quota: number): number | null {
  return held <= quota ? null : held - quota + Math.floor(quota / SLACK_SHARE);
}

/** Returns the bytes of the largest request that both quotas have room for. */
export function largestCapture({ captureQuota, captureTotal }: CaptureQuotas): number {
  return Math.min(captureQuota, captureTotal);
}
