/** The timeout of a wait in milliseconds. `isCut` is true if it is shorter than the wait asked for. */
export interface TimeAllowance {
  readonly timeout: number;
  readonly isCut: boolean;
}

const LONGEST_MARGIN_MS = 2_000;
const MARGIN = 0.2;

/**
 * Limits a wait so that it ends before the test's own timeout, and enough time is left to report why nothing came.
 */
export function allowed(askedMs: number, leftMs: number): TimeAllowance {
  if (leftMs === Number.POSITIVE_INFINITY) return { timeout: askedMs, isCut: false };
  const most = Math.max(0, Math.floor(leftMs - Math.min(LONGEST_MARGIN_MS, leftMs * MARGIN)));
  return askedMs <= most ? { timeout: askedMs, isCut: false } : { timeout: most, isCut: true };
}
