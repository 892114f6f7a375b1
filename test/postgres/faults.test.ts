import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Served } from '../faults/served.ts';
import { type Cluster, POSTGRES_BIN, startCluster } from '../support/postgres-cluster.ts';
import { call, measured, type Sender, senderTo, twoOn } from './servers.ts';

/** The mails that each fault has to survive. By night it is the size that the guarantees name. */
const MAILS = Number(process.env['MAILCAP_FAULT_MAILS'] ?? 0);
const TIMEOUT = { timeout: MAILS > 0 ? 900_000 : 180_000 };

/** The outcome of each mail that was sent, by its subject. */
interface Record {
  readonly acknowledged: Set<string>;
  readonly refused: Set<string>;
  /** The connection broke before the answer, so nobody can know. */
  readonly unknown: Set<string>;
}

describe.runIf(POSTGRES_BIN !== null)('faults of two servers on one database', () => {
  let cluster: Cluster;
  let databases = 0;
  beforeAll(async () => {
    // A power cut must lose nothing, so this cluster syncs.
    cluster = await startCluster({ fsync: 'on' });
  }, 60_000);
  afterAll(() => cluster.remove());

  const two = () => twoOn(cluster.url(`faults${databases++}`));

  const newRecord = (): Record => ({ acknowledged: new Set(), refused: new Set(), unknown: new Set() });

  /** Sends mail one after the other until `isOver`. */
  async function load(sender: Sender, name: string, record: Record, isOver: () => boolean): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const subject = `${name}-${i}`;
      try {
        await sender.send(subject);
        record.acknowledged.add(subject);
      } catch (error) {
        const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
        if (code >= 400) record.refused.add(subject);
        else record.unknown.add(subject);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  /** Loads both servers from several senders, and runs `fault` under the load. */
  async function under(servers: readonly Served[], fault: (record: Record) => Promise<void>): Promise<Record> {
    const record = newRecord();
    let over = false;
    const loads = servers.flatMap((server, at) =>
      Array.from({ length: 6 }, (_, i) => load(senderTo(server, 1), `s${at}-${i}`, record, () => over)),
    );
    await vi.waitFor(() => expect(record.acknowledged.size).toBeGreaterThan(100), { timeout: 20_000 });
    await fault(record);
    await vi.waitFor(() => expect(record.acknowledged.size).toBeGreaterThanOrEqual(MAILS), { timeout: 600_000 });
    over = true;
    await Promise.all(loads);
    return record;
  }

  async function expectTruth(server: Served, { acknowledged, refused, unknown }: Record, what: string): Promise<void> {
    const stored = (await server.messages()).map(({ subject }) => subject);
    const there = new Set(stored);
    const missing = [...acknowledged].filter((subject) => !there.has(subject));
    const present = [...refused].filter((subject) => there.has(subject));
    const counts = `${acknowledged.size} acknowledged, ${refused.size} refused, ${unknown.size} without an answer`;
    measured(`${what}: ${counts}; ${missing.length} missing, ${present.length} present that were refused`);
    expect({ missing, present }).toEqual({ missing: [], present: [] });
    expect(stored).toHaveLength(there.size);
  }

  const moreThan = (record: Record, count: number) => {
    const from = record.acknowledged.size;
    return vi.waitFor(() => expect(record.acknowledged.size).toBeGreaterThan(from + count), { timeout: 60_000 });
  };

  test('kill -9 of one of two under load loses nothing acknowledged, and the other goes on', TIMEOUT, async () => {
    const [a, b] = await two();
    const record = await under([a, b], async (sent) => {
      await a.end('SIGKILL');
      await moreThan(sent, 300);
    });
    await expectTruth(b, record, 'kill -9 of one of two');
  });

  test('a power cut of the database loses nothing acknowledged, and both go on by themselves', TIMEOUT, async () => {
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

  test('connections that are cut again and again lose nothing acknowledged', TIMEOUT, async () => {
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

  test('while the database is away, mail and requests are refused for a time; then all goes on', TIMEOUT, async () => {
    const [a, b] = await two();
    const record = await under([a, b], async (sent) => {
      cluster.stop('immediate');
      for (const server of [a, b]) {
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(503));
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
  });

  test(
    'a server that is stopped under load, maybe in the lock, holds up the other for two seconds at most',
    TIMEOUT,
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
