import { describe } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { storeSuite } from '../store/suite.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { s3OfTests } from '../support/s3-server.ts';
import { unless } from '../support/unless.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };

unless(describe, NO_POSTGRES)('a cluster of PostgreSQL with the bodies in S3', () => {
  const cluster = clusterOfTests();
  const s3 = s3OfTests();
  let opened = 0;

  storeSuite(async () => {
    const schema = `s${opened++}`;
    return openPostgresStore(
      {
        driver: await pgDriver(cluster.url(), schema, 'test'),
        schema,
        clock: systemClock(),
        random: nodeRandom,
        mutex: createKeyedMutex(),
        storage: await s3.open(schema),
      },
      quiet,
    );
  }, false);
});
