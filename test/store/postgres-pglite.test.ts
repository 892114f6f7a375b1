import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { Log } from '../../src/ports/system.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { pgliteDriver } from './pglite-driver.ts';
import { aPlace, deliver } from './rows.ts';
import { storeSuite } from './suite.ts';
import { textsSuite } from './texts-suite.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };

let database: PGlite;
let opened = 0;
beforeAll(async () => {
  database = await PGlite.create();
}, 60_000);
afterAll(() => database.close());

describe('PostgreSQL in the process', () => {
  const open = async () => {
    const schema = `s${opened++}`;
    return openPostgresStore(
      {
        driver: pgliteDriver(database, schema),
        schema,
        clock: systemClock(),
        random: nodeRandom,
        mutex: createKeyedMutex(),
      },
      quiet,
    );
  };

  storeSuite(open);

  test('the database sends of a mail whose header is wanted no more than a byte of its body', async () => {
    const store = await open();
    const { mailbox } = await aPlace(store);
    const raw = Buffer.from(`Subject: hi\r\n\r\n${'body '.repeat(10_000)}`);
    const message = await deliver(store, mailbox, raw);
    expect(String(await store.blobs.readSmall([message.raw], 8_192))).toBe('Subject: hi\r\n\r\nb');
    await store.close();
  });

  textsSuite(open);
});
