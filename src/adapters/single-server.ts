import type { Cluster } from '../ports/server.ts';
import type { Store } from '../ports/store.ts';
import type { KeyedMutex } from '../ports/waiting.ts';

/**
 * Creates the cluster of a store that only one server uses. The server is the leader from the start and shares nothing.
 */
export function singleServer(store: Store): Cluster {
  return {
    server: null,
    mutex: createKeyedMutex(),
    lead: (start) => start(store),
    shared: null,
    onAskedForAwaits: () => {},
    awaitsOfOthers: async () => [],
    others: async () => 0,
    agreeOn: async (_, proposed) => proposed,
    secret: async () => null,
  };
}

/** Creates a keyed mutex for this process. It forgets a key once nobody holds it or waits for it. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>();
  return {
    async runExclusive(key, work) {
      const previous = tails.get(key);
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      tails.set(key, released);
      try {
        await previous;
        return await work();
      } finally {
        if (tails.get(key) === released) tails.delete(key);
        release();
      }
    },
  };
}
