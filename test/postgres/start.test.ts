import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS, migrate, newestVersion } from '../../src/store/postgres/migrations.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { SCHEMA } from '../../src/store/postgres/store.ts';
import { dev, temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { IS_NIGHT } from '../support/night.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { call, senderTo, serveOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };
/** The servers that start together. */
const COUNT = IS_NIGHT ? 10 : 4;

/** How a next version may change the schema. It fails if it runs twice. */
const NEXT = { number: newestVersion(MIGRATIONS) + 1, script: 'create table later (id bigint); select pg_sleep(0.2)' };

unless(describe, NO_POSTGRES)('a start on PostgreSQL', () => {
  const cluster = clusterOfTests();
  const migrations = (database: string) =>
    cluster.psql("select string_agg(number::text, ',' order by number) from mailcap.migrations", database);

  test(
    'servers that start together on an empty database make one schema, with one key and one inbox',
    TIMEOUT,
    async () => {
      const url = cluster.url('together');
      const servers = await Promise.all(Array.from({ length: COUNT }, () => serveOn(url)));
      expect(new Set(servers.map(({ ready }) => `${ready.apiKey} ${ready.mailboxId}`)).size).toBe(1);
      await Promise.all(servers.map((server, i) => senderTo(server).send(`n${i}`)));
      for (const server of servers) expect(await server.messages()).toHaveLength(COUNT);
      expect(migrations('together')).toBe(MIGRATIONS.map(({ number }) => number).join());
    },
  );

  test(
    'of servers that start together on an older schema one migrates it, and the others wait for that',
    TIMEOUT,
    async () => {
      const driver = await pgDriver(cluster.url('migrated'), SCHEMA, 'test');
      const connections = await Promise.all(Array.from({ length: COUNT }, (_, i) => driver.connect(`newer ${i}`)));
      const [first] = connections;
      if (first !== undefined) await migrate(first, SCHEMA);
      await Promise.all(
        connections.map(async (connection) => {
          await migrate(connection, SCHEMA, [...MIGRATIONS, NEXT]);
          // Each finds the new table, however early it started.
          await connection.script('insert into later values (1)');
        }),
      );
      await Promise.all(connections.map((connection) => connection.close()));
      expect(migrations('migrated')).toBe([...MIGRATIONS, NEXT].map(({ number }) => number).join());
      expect(cluster.psql('select count(*) from mailcap.later', 'migrated')).toBe(String(COUNT));
    },
  );

  test('a migration that fails leaves nothing behind, and the next start runs it whole', TIMEOUT, async () => {
    const connection = await (await pgDriver(cluster.url('halfway'), SCHEMA, 'test')).connect('newer');
    const broken = { ...NEXT, script: 'create table later (id bigint); select 1 / 0' };
    await expect(migrate(connection, SCHEMA, [...MIGRATIONS, broken])).rejects.toThrow('division by zero');
    expect(migrations('halfway')).toBe(MIGRATIONS.map(({ number }) => number).join());
    await migrate(connection, SCHEMA, [...MIGRATIONS, NEXT]);
    await connection.close();
    expect(migrations('halfway')).toBe([...MIGRATIONS, NEXT].map(({ number }) => number).join());
  });

  test('a newer schema is refused in one sentence, with exit code 1', TIMEOUT, async () => {
    const url = cluster.url('newer');
    await (await serveOn(url)).end('SIGTERM');
    cluster.psql('insert into mailcap.migrations (number) values (99)', 'newer');
    const { code, stderr } = await dev(['--store', url], { cwd: await temporaryDirectory() }).exit;
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^mailcap: the database has version 99 of mailcap's schema.*update mailcap\.$/);
  });

  test('no health, info, log, refusal or file has the password of the URL', TIMEOUT, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mailcap-secret-'));
    const url = cluster.url('secret');
    expect(url).toContain('secret-of-test');
    const shown: string[] = [];
    const run = dev(['--store', url, '--log-level', 'debug', '--data-dir', directory], { cwd: directory });
    const ready = await run.ready();
    for (const path of ['health', 'info', 'metrics'])
      shown.push(await (await fetch(`${ready.url}/_mailcap/${path}`)).text());
    expect(shown[1]).toContain(`"store":"postgres://127.0.0.1:${cluster.port}/secret"`);
    const stopped = await run.stop();
    shown.push(stopped.stdout, stopped.stderr);
    const wrong = url.replace(/:\d+\//, ':1/');
    const refused = await dev(['--store', wrong], { cwd: directory }).exit;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^mailcap: no PostgreSQL server answers at 127\.0\.0\.1:1\/secret \(.*\): start it, or correct --store\.\n$/,
    );
    shown.push(refused.stderr);
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      try {
        shown.push(readFileSync(join(directory, name), 'utf8'));
      } catch {
        // It is a directory.
      }
    }
    expect(shown.join('\n')).not.toContain('secret-of-test');
    rmSync(directory, { recursive: true, force: true });
  });

  test('a database that does not exist is refused with what to do', TIMEOUT, async () => {
    const url = cluster.url('postgres').replace('/postgres', '/missing');
    const { code, stderr } = await dev(['--store', url], { cwd: await temporaryDirectory() }).exit;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `mailcap: PostgreSQL at 127.0.0.1:${cluster.port}/missing has no such database: create it with createdb.\n`,
    });
  });

  test('a second server with another key is refused, and the key of the first stays', TIMEOUT, async () => {
    const url = cluster.url('keys');
    const first = await serveOn(url);
    const other = `svc_live_${'x'.repeat(43)}`;
    const { code, stderr } = await dev(['--store', url, '--api-key', other], { cwd: await temporaryDirectory() }).exit;
    expect(code).toBe(1);
    expect(stderr).toContain(
      'another server of this store has a different --api-key: give all servers the same, or none.',
    );
    expect((await call(first, 'GET', `/v1/mailboxes/${first.ready.mailboxId}/messages`)).status).toBe(200);
  });
});

test.each([
  [['--store', 'postgres://nobody:pw@/'], /expected a PostgreSQL URL/],
  [['--store', 'postgres://u:pw@h/db', '--durability', 'os'], /--durability .*store in files.*PostgreSQL/],
  [['--store', 'postgres://u:pw@h/db', '--ephemeral'], /--ephemeral .*PostgreSQL --store/],
])('%j is refused, without the password', async (flags, sentence) => {
  const { code, stderr } = await dev(flags, { cwd: await temporaryDirectory() }).exit;
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toContain('pw');
});
