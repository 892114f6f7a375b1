import { describe, expect, test, vi } from 'vitest';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { call, senderTo, serveOn } from './servers.ts';

/** The tables that hold rows of users, whose number nobody bounds. */
const TABLES = ['small_rows', 'messages', 'blobs', 'events', 'requests', 'sends', 'idempotency'];
const MAILS = 400;

unless(describe, NO_POSTGRES)('query plans of PostgreSQL', () => {
  const cluster = clusterOfTests({ autovacuum: 'off' });

  test('mail, pages and single messages read rows by an index, dead rows or not', async () => {
    const server = await serveOn(cluster.url('plans'), '--limits', 'off');
    const sender = senderTo(server);
    await Promise.all(Array.from({ length: MAILS }, (_, i) => sender.send(`mail ${i}`)));
    const messages = await server.messages();
    expect(messages.length).toBeGreaterThan(0);
    for (const { id } of messages.slice(0, 10))
      expect((await call(server, 'GET', `/v1/mailboxes/${server.ready.mailboxId}/messages/${id}`)).status).toBe(200);

    const counted = (column: string) =>
      Object.fromEntries(
        cluster
          .psql(`select relname, coalesce(${column}, 0) from pg_stat_user_tables where schemaname = 'mailcap'`, 'plans')
          .split('\n')
          .map((line) => line.split('|'))
          .map(([name = '', count]) => [name, Number(count)]),
      );
    // A session tells its counts at most once a second.
    await vi.waitFor(
      async () => {
        await server.messages();
        expect(counted('n_tup_upd')['small_rows']).toBeGreaterThan(10);
        expect(counted('idx_scan')['messages']).toBeGreaterThan(10);
      },
      { timeout: 20_000, interval: 200 },
    );
    const whole = counted('seq_tup_read');
    expect(TABLES.map((name) => [name, whole[name]])).toEqual(TABLES.map((name) => [name, 0]));
  });
});
