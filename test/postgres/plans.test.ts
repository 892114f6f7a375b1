import { describe, expect, test, vi } from 'vitest';
import { parseQuery } from '../../src/domain/search/query.ts';
import { aPlace, NOON } from '../store/rows.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { at } from '../support/moment.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { fill, openStore, prepare } from './open-store.ts';
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

  test('what a mailbox has is read by its own index, however many rows others have', async () => {
    const { store } = await openStore(cluster.url('beside'));
    const [large, small] = [(await aPlace(store)).mailbox, (await aPlace(store)).mailbox];
    await prepare(store, await fill(store, large, 3_000));
    const ids = await fill(store, small, 2);
    await prepare(store, ids);
    expect(await store.texts.missing(1)).toEqual([]);
    await store.close();
    // PostgreSQL now knows that nearly all rows are of the other mailbox.
    cluster.psql('vacuum analyze', 'beside');
    const read = () =>
      Number(cluster.psql("select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'mailcap'", 'beside'));
    const before = read();

    const { store: again } = await openStore(cluster.url('beside'));
    const [mailboxId, now] = [small.id, at(NOON)];
    const { messages, events } = again.read;
    const newestFirst = [...ids].reverse();
    const told = [
      await messages.page(mailboxId, { limit: 50, now }),
      (await messages.walk({ mailboxId, rows: 50, now, wanted: () => true })).messages,
      (await messages.after(mailboxId, null, 50, now)).reverse(),
    ].map((found) => found.map(({ id }) => id));
    expect(told).toEqual([newestFirst, newestFirst, newestFirst]);
    expect(await messages.countUnexpired(mailboxId, now)).toBe(2);
    for (const newest of [true, false])
      expect(await events.list({ mailboxId, after: null, newest, limit: 50, now })).toHaveLength(2);
    expect(await again.read.sends.list({ mailboxId, limit: 50 })).toEqual([]);
    for (const scope of [
      { mailboxId },
      { workspaceId: small.workspaceId },
      { mailboxId, workspaceId: small.workspaceId },
    ])
      for await (const { found } of again.texts.find(parseQuery('common'), scope))
        expect(found?.map(({ id }) => id)).toEqual(newestFirst);
    await again.transaction((tx) => tx.messages.removeExpired(mailboxId, now, 50));
    await again.close();
    // A session tells its counts at its end.
    await vi.waitFor(() => expect(read()).toBeGreaterThan(before), { timeout: 20_000, interval: 200 });
    expect(read() - before).toBeLessThan(1_000);
  });
});
