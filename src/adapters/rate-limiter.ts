import { clientNetwork } from '../domain/ip-address.ts';
import {
  countRequest,
  countWrongToken,
  delayOf,
  isReported,
  judgeRate,
  mayHold,
  PER_KEY,
  PER_WORKSPACE,
  type RateWindow,
  tighter,
  WINDOW_MS,
  type WrongTokenCount,
} from '../domain/rate-limit.ts';
import type { RateLimiter, WrongTokens } from '../ports/server.ts';
import type { Clock, Log } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { increase } from '../text/maps.ts';
import { LruCache } from './lru-cache.ts';

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

/** The most clients whose wrong tokens are remembered. The one that has been quiet longest is forgotten first. */
const MOST_CLIENTS = 1_024;

/** Counts the wrong tokens of clients in this process. */
export function createWrongTokens(clock: Clock, log: Log): WrongTokens {
  const counts = new LruCache<string, WrongTokenCount>(MOST_CLIENTS);
  const held = new Map<string, number>();
  let heldInAll = 0;

  const hold = (client: string, ms: number, exchange: CancelSignal): Promise<void> => {
    increase(held, client, 1);
    heldInAll++;
    let release = () => {};
    const isDue = new Promise<void>((resolve) => {
      release = resolve;
    });
    const cancelTimer = clock.after(ms, release);
    const forget = exchange.onCancel(release);
    return isDue.finally(() => {
      cancelTimer();
      forget();
      heldInAll--;
      increase(held, client, -1);
    });
  };

  return {
    async answerLater(address, exchange, what = 'admin token') {
      const client = clientNetwork(address);
      const wrong = countWrongToken(counts.get(client), clock.steady());
      counts.set(client, wrong);
      if (isReported(wrong.count)) log.warn(`a wrong ${what}`, { client: address, count: wrong.count });
      const ms = delayOf(wrong.count);
      if (ms === 0) return true;
      if (!mayHold(held.get(client) ?? 0, heldInAll)) return false;
      await hold(client, ms, exchange);
      return true;
    },
  };
}
