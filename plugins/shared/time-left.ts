/** What a wait may take, milliseconds, and whether that is less than it asked for. */
export interface Allowed {
  readonly timeout: number;
  readonly isCut: boolean;
}

const LONGEST_MARGIN_MS = 2_000;
const MARGIN = 0.2;

/** A wait ends before the test's own timeout does, with time enough to find out why nothing came, and to say so. */
export function allowed(askedMs: number, leftMs: number): Allowed {
  if (leftMs === Number.POSITIVE_INFINITY) return { timeout: askedMs, isCut: false };
  const most = Math.max(0, Math.floor(leftMs - Math.min(LONGEST_MARGIN_MS, leftMs * MARGIN)));
  return askedMs <= most ? { timeout: askedMs, isCut: false } : { timeout: most, isCut: true };
}
