import { describe } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { storeSuite } from '../store/suite.ts';
import { textsSuite } from '../store/texts-suite.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };

unless(describe, NO_POSTGRES)('a cluster of PostgreSQL', () => {
  const cluster = clusterOfTests();
  let opened = 0;

  const open = async () => {
    const schema = `s${opened++}`;
    return openPostgresStore(
      {
        driver: await pgDriver(cluster.url(), schema, 'test'),
        schema,
        clock: systemClock(),
        random: nodeRandom,
        mutex: createKeyedMutex(),
      },
      quiet,
    );
  };

  storeSuite(open);
  textsSuite(open);
});
