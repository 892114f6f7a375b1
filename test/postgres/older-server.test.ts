import { describe, expect, test, vi } from 'vitest';
import { MIGRATIONS, type Migration, migrate, newestVersion } from '../../src/store/postgres/migrations.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { SCHEMA } from '../../src/store/postgres/store.ts';
import { dev, temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { BY_DAY } from '../support/night.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { expectTruth, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, twoOn } from './servers.ts';

/** How a next version may change the schema: it adds, and leaves what older servers know as it is. */
const NEXT: Migration = {
  number: newestVersion(MIGRATIONS) + 1,
  script: `
    alter table messages add column later integer;
    alter table blobs add column later text not null default '';
    alter table small_rows add column later integer;
    create table later (id bigint primary key);
    create index small_rows_later on small_rows (later);
    select pg_sleep(4);
  `,
};

unless(describe, NO_POSTGRES)('an older mailcap while a newer one changes the schema', () => {
  const cluster = clusterOfTests({ fsync: 'on' });

  // By day the next two tests show how a change and a server meet.
  const goesOn = 'it goes on: nothing is lost, and what waits for the change is answered after it';
  unless(test, BY_DAY)(goesOn, UNDER_LOAD, async () => {
    const url = cluster.url('older');
    const [a, b] = await twoOn(url);
    const outcomes = await under([a, b], async (sent) => {
      const connection = await (await pgDriver(url, SCHEMA, 'test')).connect('test');
      await migrate(connection, SCHEMA, [...MIGRATIONS, NEXT]);
      await connection.close();
      await moreThan(sent, 100);
      for (const server of [a, b])
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(200), 20_000);
    });
    for (const reply of outcomes.replies) expect(reply).toMatch(/^45\d 4\./);
    await expectTruth(a, outcomes, 'a change of the schema under load');
    const path = `/v1/mailboxes/${b.ready.mailboxId}/messages`;
    expect((await call(b, 'DELETE', `/_mailcap/mailboxes/${b.ready.mailboxId}/messages`)).ok).toBe(true);
    expect(await (await call(a, 'GET', path)).json()).toEqual([]);
  });

  test('a change gives way to a server that holds one of its tables and needs another', UNDER_LOAD, async () => {
    const driver = await pgDriver(cluster.url('gives-way'), SCHEMA, 'test');
    const [server, connection] = await Promise.all([driver.connect('server'), driver.connect('newer')]);
    await migrate(connection, SCHEMA);
    await server.script('begin; lock table messages in row exclusive mode');
    const script = 'alter table blobs add column later text; alter table messages add column later integer;';
    const migrating = migrate(connection, SCHEMA, [...MIGRATIONS, { ...NEXT, script }]);
    const waits = "select 1 from pg_locks where not granted and relation = 'mailcap.messages'::regclass";
    await vi.waitFor(() => expect(cluster.psql(waits, 'gives-way')).toContain('1'), 20_000);
    await server.script('lock table blobs in row exclusive mode; commit');
    await migrating;
    await Promise.all([server.close(), connection.close()]);
  });

  test('once it has stopped it is refused in one sentence, and the newer servers go on', UNDER_LOAD, async () => {
    const url = cluster.url('refused');
    const [, b] = await twoOn(url);
    const connection = await (await pgDriver(url, SCHEMA, 'test')).connect('test');
    await migrate(connection, SCHEMA, [...MIGRATIONS, { ...NEXT, script: 'create table later (id bigint)' }]);
    await connection.close();
    const { code, stderr } = await dev(['--store', url], { cwd: await temporaryDirectory() }).exit;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `mailcap: the database has version ${NEXT.number} of mailcap's schema, and this mailcap knows ${NEXT.number - 1}: update mailcap.\n`,
    );
    expect((await call(b, 'GET', '/_mailcap/health')).status).toBe(200);
  });
});
