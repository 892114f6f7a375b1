import { execFileSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { expectTruth, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, twoOn } from './servers.ts';

unless(describe, NO_POSTGRES)('faults of two servers on one database', () => {
  // A power cut must lose nothing, so this cluster syncs.
  const cluster = clusterOfTests({ fsync: 'on' });
  let databases = 0;

  const two = () => twoOn(cluster.url(`faults${databases++}`));

  test('kill -9 of one of two under load loses nothing acknowledged, and the other goes on', UNDER_LOAD, async () => {
    const [a, b] = await two();
    const record = await under([a, b], async (sent) => {
      await a.end('SIGKILL');
      await moreThan(sent, 300);
    });
    await expectTruth(b, record, 'kill -9 of one of two');
  });

  test('a power cut of the database loses nothing acknowledged, and both go on by themselves', UNDER_LOAD, async () => {
    const [a, b] = await two();
    const record = await under([a, b], async (sent) => {
      for (let i = 0; i < 3; i++) {
        await cluster.restart();
        await moreThan(sent, 200);
      }
    });
    await expectTruth(a, record, 'three restarts -m immediate');
    for (const server of [a, b]) expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(200);
  });

  test('connections that are cut again and again lose nothing acknowledged', UNDER_LOAD, async () => {
    const [a, b] = await two();
    const database = `faults${databases - 1}`;
    const record = await under([a, b], async (sent) => {
      for (let i = 0; i < 60; i++) {
        cluster.psql(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
        );
        await moreThan(sent, 5);
      }
    });
    await expectTruth(b, record, 'all connections cut 60 times');
  });

  test(
    'while the database is away, mail and requests are refused for a time; then all goes on',
    UNDER_LOAD,
    async () => {
      const [a, b] = await two();
      const record = await under([a, b], async (sent) => {
        cluster.stop('immediate');
        for (const server of [a, b]) {
          await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(503), {
            timeout: 15_000,
          });
          const answer = await call(server, 'GET', `/v1/mailboxes/${server.ready.mailboxId}/messages`);
          expect(answer.status).toBe(503);
          expect(await answer.json()).toEqual({ error: 'storage_unavailable' });
        }
        const refused = sent.refused.size;
        await vi.waitFor(() => expect(sent.refused.size).toBeGreaterThan(refused + 50), { timeout: 20_000 });
        await cluster.start();
        await moreThan(sent, 200);
      });
      // One of them may have carried all the mail since, while the other still connects anew.
      for (const server of [a, b])
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(200), 5000);
      await expectTruth(b, record, 'the database away');
    },
  );

  test(
    'a server that is stopped under load, maybe in the lock, holds up the other for two seconds at most',
    UNDER_LOAD,
    async () => {
      const [a, b] = await two();
      const record = await under([a, b], async (sent) => {
        for (let i = 0; i < 4; i++) {
          execFileSync('kill', ['-STOP', String(a.child.pid)]);
          await moreThan(sent, 100);
          execFileSync('kill', ['-CONT', String(a.child.pid)]);
          await moreThan(sent, 50);
        }
      });
      await expectTruth(b, record, 'SIGSTOP four times');
    },
  );
});
