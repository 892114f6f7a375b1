import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dev, temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { freePort } from '../support/free-port.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { lacking, PATH } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { senderTo, serveOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };

unless(describe, NO_POSTGRES)('connections to PostgreSQL', () => {
  const cluster = clusterOfTests();

  const refusal = async (url: string) => {
    const { code, stderr } = await dev(['--store', url], { cwd: await temporaryDirectory() }).exit;
    return { code, stderr };
  };

  test('a store works over a Unix socket, whose name is shown', TIMEOUT, async () => {
    const socket = cluster.psql('show unix_socket_directories');
    const name = new URL(cluster.url('sockets')).pathname;
    const server = await serveOn(`postgres://mailcap@localhost:${cluster.port}${name}?host=${socket}`);
    await senderTo(server).send('over a socket');
    expect(await server.messages()).toHaveLength(1);
    expect((await server.get<{ store: string }>('/_mailcap/info')).store).toContain(socket);
  });

  test('a store works over TLS with the right certificate, and is refused with another one', TIMEOUT, async () => {
    const data = cluster.psql('show data_directory');
    const directory = mkdtempSync(join(tmpdir(), 'mailcap-pg-tls-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const make = () =>
      generate([{ name: 'commonName', value: '127.0.0.1' }], {
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
      });
    const [ours, other] = [await make(), await make()];
    writeFileSync(join(directory, 'ca.pem'), ours.cert);
    writeFileSync(join(directory, 'other.pem'), other.cert);
    const { uid, gid } = statSync(data);
    for (const [name, text] of [['server.crt', ours.cert] as const, ['server.key', ours.private] as const]) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      chownSync(join(data, name), uid, gid);
      chmodSync(join(data, name), 0o600);
    }
    cluster.psql('alter system set ssl = on');
    cluster.psql('select pg_reload_conf()');
    const url = cluster.url('tls');
    const server = await serveOn(`${url}?sslmode=verify-full&sslrootcert=${join(directory, 'ca.pem')}`);
    await senderTo(server).send('over TLS');
    expect(await server.messages()).toHaveLength(1);
    const encrypted =
      "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'tls' and application_name like 'mailcap%'";
    expect(cluster.psql(encrypted, 'tls')).toBe('t');
    const wrong = await refusal(`${url}?sslmode=verify-full&sslrootcert=${join(directory, 'other.pem')}`);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/^mailcap: no PostgreSQL server answers at .*certificate/);
    const missing = await refusal(`${url}?sslmode=verify-full&sslrootcert=${join(directory, 'none.pem')}`);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/^mailcap: .*none\.pem/);
  });

  test('--store-pool bounds the connections of a server', TIMEOUT, async () => {
    const server = await serveOn(cluster.url('pool'), '--store-pool', '5');
    const { send } = senderTo(server, 20);
    await Promise.all(Array.from({ length: 50 }, (_, i) => send(`n${i}`)));
    await Promise.all(Array.from({ length: 20 }, () => server.messages()));
    const count = cluster.psql(
      "select count(*) from pg_stat_activity where datname = 'pool' and application_name like 'mailcap%'",
    );
    expect(Number(count)).toBeLessThanOrEqual(5);
  });

  unless(test, lacking('pgbouncer')).each([
    ['', /pooler that refuses .*--store/],
    [
      'ignore_startup_parameters = idle_in_transaction_session_timeout',
      /pooler .*leaves out idle_in_transaction_session_timeout.*--store/,
    ],
  ])('PgBouncer in transaction mode is refused with the reason (%s)', TIMEOUT, async (more, said) => {
    const directory = mkdtempSync(join(tmpdir(), 'mailcap-bouncer-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const port = await freePort();
    const { uid, gid } = statSync(cluster.psql('show data_directory'));
    chownSync(directory, uid, gid);
    const databases = cluster.url(`bouncer-${more.length}`);
    // Any user may come in, so that each database names its user.
    writeFileSync(
      join(directory, 'ini'),
      `[databases]\n* = host=127.0.0.1 port=${cluster.port} user=mailcap\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 5\n${more}\n`,
    );
    const bouncer = spawn('pgbouncer', [join(directory, 'ini')], {
      env: { PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    });
    onTestFinished(async () => {
      if (bouncer.exitCode !== null) return;
      bouncer.kill('SIGKILL');
      await once(bouncer, 'exit');
    });
    await once(bouncer.stderr, 'data');
    const { code, stderr } = await refusal(databases.replace(/:\d+\//, `:${port}/`));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^mailcap: [^\n]*\n$/);
    expect(stderr).toMatch(said);
  });
});
