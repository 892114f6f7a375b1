import { startCluster } from './postgres-cluster.ts';

/** Starts a cluster of PostgreSQL for all tests of a run. */
export async function setup(): Promise<() => void> {
  const cluster = await startCluster({ max_connections: '400' });
  process.env['MAILCAP_TEST_DATABASE'] = cluster.url();
  return () => cluster.remove();
}
