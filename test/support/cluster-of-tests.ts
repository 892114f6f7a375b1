import { afterAll, beforeAll } from 'vitest';
import { type Cluster, startCluster } from './postgres-cluster.ts';

/** Starts a cluster of PostgreSQL before the tests of a block, and removes it after them. It is there in tests alone. */
export function clusterOfTests(settings: Readonly<Record<string, string>> = {}): Cluster {
  let cluster: Cluster | null = null;
  beforeAll(async () => {
    cluster = await startCluster(settings);
  }, 60_000);
  afterAll(() => cluster?.remove());
  return new Proxy({} as Cluster, {
    get: (_, name) => {
      if (cluster === null) throw new Error('the cluster is there in tests alone');
      return Reflect.get(cluster, name);
    },
  });
}
