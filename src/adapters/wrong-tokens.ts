import { clientNetwork } from '../domain/ip-address.ts';
import { countWrongToken, delayOf, isReported, mayHold, type WrongTokenCount } from '../domain/wrong-token.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import type { Log } from '../ports/log.ts';
import type { WrongTokens } from '../ports/wrong-tokens.ts';
import { LruCache } from './lru-cache.ts';

/** The most clients whose wrong tokens are remembered. The one that has been quiet longest is forgotten first. */
const MOST_CLIENTS = 1_024;

/** Counts the wrong tokens of clients in this process. */
export function createWrongTokens(clock: Clock, log: Log): WrongTokens {
  const counts = new LruCache<string, WrongTokenCount>(MOST_CLIENTS);
  const held = new Map<string, number>();
  let heldInAll = 0;

  const hold = (client: string, ms: number, exchange: Ending): Promise<void> => {
    held.set(client, (held.get(client) ?? 0) + 1);
    heldInAll++;
    let release = () => {};
    const isDue = new Promise<void>((resolve) => {
      release = resolve;
    });
    const cancelTimer = clock.after(ms, release);
    const forget = exchange.onEnd(release);
    return isDue.finally(() => {
      cancelTimer();
      forget();
      heldInAll--;
      const left = (held.get(client) ?? 1) - 1;
      if (left === 0) held.delete(client);
      else held.set(client, left);
    });
  };

  return {
    async answerLater(address, exchange) {
      const client = clientNetwork(address);
      const wrong = countWrongToken(counts.get(client), clock.steady());
      counts.set(client, wrong);
      if (isReported(wrong.count)) log.warn('a wrong admin token', { client: address, count: wrong.count });
      const ms = delayOf(wrong.count);
      if (ms === 0) return true;
      if (!mayHold(held.get(client) ?? 0, heldInAll)) return false;
      await hold(client, ms, exchange);
      return true;
    },
  };
}
