import type { Cluster } from '../ports/cluster.ts';
import type { Store } from '../ports/store.ts';
import { createKeyedMutex } from './in-process-mutex.ts';

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
