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

// The server answers a client that sends wrong admin tokens ever slower (docs/security.md#who-can-reach-it). The length of a token
// makes guessing hopeless; this keeps a guesser from costing much, and tells the owner of the server.

/** The first wrong tokens, which are answered at once. A person may mistype. */
const FREE = 3;
const FIRST_DELAY_MS = 100;
/** The longest time in milliseconds for which the answer to a wrong token is held. */
export const LONGEST_DELAY_MS = 5_000;
/** The time in milliseconds without a wrong token after which the earlier ones are forgotten. */
export const FORGET_MS = 15 * 60_000;

/** The most answers held at once for one client. */
export const MOST_HELD_FOR_CLIENT = 8;
/** The most answers held at once for all clients. */
export const MOST_HELD = 256;

/** The wrong tokens of a client. */
export interface WrongTokenCount {
  readonly count: number;
  /** A monotonic time in milliseconds. */
  readonly lastAt: number;
}

/** Counts one more wrong token at the monotonic time `now`. */
export function countWrongToken(before: WrongTokenCount | undefined, now: number): WrongTokenCount {
  const isRecent = before !== undefined && now - before.lastAt < FORGET_MS;
  return { count: isRecent ? before.count + 1 : 1, lastAt: now };
}

/** Returns for how many milliseconds the answer to the wrong token with this number, from 1, is held. */
export function delayOf(count: number): number {
  return count <= FREE ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE - 1));
}

/** Tells whether one more answer may be held, beside those for its client and those for all clients. */
export function mayHold(forClient: number, forAll: number): boolean {
  return forClient < MOST_HELD_FOR_CLIENT && forAll < MOST_HELD;
}

/** Tells whether the log reports the wrong token with this number: the first, and each time that they have doubled. */
export function isReported(count: number): boolean {
  // A power of two has one bit.
  return (count & (count - 1)) === 0;
}
