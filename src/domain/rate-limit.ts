// Rate limits with fixed windows of 60 s, which start with the first request (docs/contract.md#rate-limits).

export const WINDOW_MS = 60_000;
export const PER_KEY = 100;
export const PER_WORKSPACE = 1_000;

/** A counter of the requests since the window opened. */
export interface RateWindow {
  readonly openedAt: number;
  readonly used: number;
}

export interface RateLimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** The whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Counts one more request. If the clock was set back, a new window opens. */
export function countRequest(window: RateWindow | undefined, now: number): RateWindow {
  const open = window !== undefined && now >= window.openedAt && now < window.openedAt + WINDOW_MS;
  return open ? { openedAt: window.openedAt, used: window.used + 1 } : { openedAt: now, used: 1 };
}

export function judgeRate(window: RateWindow, limit: number, now: number): RateLimitDecision {
  return {
    allowed: window.used <= limit,
    limit,
    remaining: Math.max(0, limit - window.used),
    resetSeconds: Math.max(1, Math.ceil((window.openedAt + WINDOW_MS - now) / 1000)),
  };
}

/**
 * Returns the stricter verdict: the one that refuses (if both do, the longer one), or else the one with less remaining.
 */
export function tighter(a: RateLimitDecision, b: RateLimitDecision): RateLimitDecision {
  if (a.allowed !== b.allowed) return a.allowed ? b : a;
  if (!a.allowed) return a.resetSeconds >= b.resetSeconds ? a : b;
  return a.remaining <= b.remaining ? a : b;
}
