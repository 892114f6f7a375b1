// Fixed windows of 60 s that open at the first request (docs/contract.md#rate-limits).

export const WINDOW_MS = 60_000;
export const PER_KEY = 100;
export const PER_WORKSPACE = 1_000;

/** One counter: how many requests came since the window opened. */
export interface Window {
  readonly openedAt: number;
  readonly used: number;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, 1 or more. */
  readonly resetSeconds: number;
}

/** The window after one more request. A clock set back opens a new one. */
export function count(window: Window | undefined, now: number): Window {
  const open = window !== undefined && now >= window.openedAt && now < window.openedAt + WINDOW_MS;
  return open ? { openedAt: window.openedAt, used: window.used + 1 } : { openedAt: now, used: 1 };
}

export function judge(window: Window, limit: number, now: number): Verdict {
  return {
    allowed: window.used <= limit,
    limit,
    remaining: Math.max(0, limit - window.used),
    resetSeconds: Math.max(1, Math.ceil((window.openedAt + WINDOW_MS - now) / 1000)),
  };
}

/** The verdict a caller is told: the one that refuses (both: the one that does so longer), else the one with less left. */
export function tighter(a: Verdict, b: Verdict): Verdict {
  if (a.allowed !== b.allowed) return a.allowed ? b : a;
  if (!a.allowed) return a.resetSeconds >= b.resetSeconds ? a : b;
  return a.remaining <= b.remaining ? a : b;
}
