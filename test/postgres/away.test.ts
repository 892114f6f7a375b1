import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { Served } from '../faults/served.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { BY_DAY, IS_NIGHT } from '../support/night.ts';
import { NOT_LINUX } from '../support/platform.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { proxyTo } from './database-proxy.ts';
import { expectTruth, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, measured, serveOn, twoOn } from './servers.ts';

/** Longer than a server asks for the outcome of a commit, by night. */
const AWAY_MS = IS_NIGHT ? 65_000 : 7_000;
/** The pause between two looks at a server that refuses everything. */
const PAUSE_MS = IS_NIGHT ? 0 : 50;
const TICKS_PER_SECOND = 100;

/** Returns the processor time of a server so far, in seconds. */
function processorSeconds({ ready }: Served): number {
  const stat = readFileSync(`/proc/${ready.pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMegabytes({ ready }: Served): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${ready.pid}/status`, 'utf8'))?.[1]) / 1024;
}

const health = async (server: Served) => (await call(server, 'GET', '/_mailcap/health')).status;

/** Expects that a server refuses reads and writes until `isOver`. */
async function expectRefused(server: Served, isOver: () => boolean): Promise<void> {
  const messages = `/v1/mailboxes/${server.ready.mailboxId}/messages`;
  const mailboxes = `/v1/workspaces/${server.ready.workspaceId}/mailboxes`;
  while (!isOver()) {
    const answers = await Promise.all([
      call(server, 'GET', messages),
      call(server, 'POST', mailboxes, { name: 'x' }),
      call(server, 'GET', '/_mailcap/health'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

unless(describe, NO_POSTGRES ?? NOT_LINUX)('a database that stays away', () => {
  const cluster = clusterOfTests({ fsync: 'on' });

  test(
    'a database that stays away means 452 and 503, no more memory, almost no processor time, and no restart',
    UNDER_LOAD,
    async () => {
      const [a, idle] = await twoOn(cluster.url('away'));
      const outcomes = await under([a], async (sent) => {
        const before = residentMegabytes(a);
        cluster.stop('immediate');
        const stoppedAt = performance.now();
        await vi.waitFor(async () => expect([await health(a), await health(idle)]).toEqual([503, 503]), 20_000);
        const [used, from, refused] = [processorSeconds(idle), performance.now(), sent.refused.size];
        await expectRefused(a, () => performance.now() - stoppedAt > AWAY_MS);
        const share = (processorSeconds(idle) - used) / ((performance.now() - from) / 1000);
        const grown = residentMegabytes(a) - before;
        const said = `${Math.round((performance.now() - stoppedAt) / 1000)} s without a database: ${sent.refused.size - refused} mails refused, ${grown.toFixed(0)} MB more under load, ${(100 * share).toFixed(1)} % of a core where nobody asked`;
        measured(said);
        expect(sent.refused.size - refused).toBeGreaterThan(50);
        expect(share).toBeLessThan(0.1);
        expect(grown).toBeLessThan(80);
        await cluster.start();
        await vi.waitFor(async () => expect([await health(a), await health(idle)]).toEqual([200, 200]), 30_000);
        await moreThan(sent, 100);
      });
      for (const reply of outcomes.replies) expect(reply).toMatch(/^45\d 4\.3\./);
      await expectTruth(idle, outcomes, 'a database that stayed away');
      expect([a.child.exitCode, idle.child.exitCode]).toEqual([null, null]);
    },
  );

  // By day the database that is away stands for it.
  unless(test, BY_DAY)(
    'a network that drops everything for over a minute has the same effects',
    UNDER_LOAD,
    async () => {
      const url = cluster.url('silent');
      const proxy = await proxyTo(url);
      const [a, b] = [await serveOn(proxy.url), await serveOn(url)];
      const outcomes = await under([a, b], async (sent) => {
        const before = residentMegabytes(a);
        proxy.isDeaf = true;
        for (const session of proxy.sessions) session.mute();
        const mutedAt = performance.now();
        await vi.waitFor(async () => expect(await health(a)).toBe(503), 20_000);
        const used = processorSeconds(a);
        const from = performance.now();
        await vi.waitFor(() => expect(performance.now() - mutedAt).toBeGreaterThan(AWAY_MS), {
          timeout: 2 * AWAY_MS,
          interval: 500,
        });
        const share = (processorSeconds(a) - used) / ((performance.now() - from) / 1000);
        const grown = residentMegabytes(a) - before;
        measured(
          `over a minute of silence: ${grown.toFixed(0)} MB more, ${(100 * share).toFixed(1)} % of a core under load`,
        );
        expect(grown).toBeLessThan(80);
        expect(share).toBeLessThan(0.5);
        proxy.isDeaf = false;
        await vi.waitFor(async () => expect(await health(a)).toBe(200), 30_000);
        await moreThan(sent, 100);
      });
      const there = new Set((await b.messages()).map(({ subject }) => subject));
      expect([...outcomes.acknowledged].filter((subject) => !there.has(subject))).toEqual([]);
      expect(a.child.exitCode).toBeNull();
    },
  );
});
