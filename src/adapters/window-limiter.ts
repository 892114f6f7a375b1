import {
  countRequest,
  judgeRate,
  PER_KEY,
  PER_WORKSPACE,
  type RateWindow,
  tighter,
  WINDOW_MS,
} from '../domain/rate-limit.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';

const PRUNE_AT = 10_000;

/** Creates a rate limiter that counts in this process. */
export function createLimiter(): RateLimiter {
  const windows = new Map<string, RateWindow>();
  const hit = (id: string, now: number): RateWindow => {
    const before = windows.get(id);
    if (before === undefined && windows.size >= PRUNE_AT) prune(windows, now);
    const window = countRequest(before, now);
    windows.set(id, window);
    return window;
  };
  return {
    async hit(keyId, workspaceId, { now }) {
      const ofKey = judgeRate(hit(keyId, now), PER_KEY, now);
      // A request that the key's limit refuses does not count against the workspace.
      const workspace = ofKey.allowed
        ? hit(workspaceId, now)
        : (windows.get(workspaceId) ?? { openedAt: now, used: 0 });
      return tighter(ofKey, judgeRate(workspace, PER_WORKSPACE, now));
    },
    reset: async () => windows.clear(),
  };
}

function prune(windows: Map<string, RateWindow>, now: number): void {
  for (const [id, window] of windows) if (now >= window.openedAt + WINDOW_MS) windows.delete(id);
}
