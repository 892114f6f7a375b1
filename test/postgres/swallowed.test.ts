import { describe, expect, test, vi } from 'vitest';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { FeedClient } from '../support/feed-client.ts';
import { BY_DAY, IS_NIGHT, IS_SHARE } from '../support/night.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { type DatabaseProxy, type Fate, proxyTo } from './database-proxy.ts';
import { expectTruth, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, measured, senderTo, serveOn } from './servers.ts';

/** Some of the fates are noticed after seconds. */
const COMMITS = IS_SHARE ? 10 : IS_NIGHT ? 60 : 5;
const CUTS = IS_SHARE ? 24 : IS_NIGHT ? 120 : 12;
const STEPS = ['sync', 'bind', 'execute', 'sync', 'execute'];

unless(describe, NO_POSTGRES)('a network between server and database that drops data', () => {
  const cluster = clusterOfTests({ fsync: 'on' });
  let databases = 0;

  /** Starts two servers on a database, the first of them behind a proxy. */
  async function two() {
    const url = cluster.url(`swallowed${databases++}`);
    const proxy = await proxyTo(url);
    return { proxy, a: await serveOn(proxy.url), b: await serveOn(url) };
  }

  const health = async (server: Parameters<typeof call>[0]) => (await call(server, 'GET', '/_mailcap/health')).status;

  /**
   * Lets the next commit meet a fate, and settles when it has met it. A server that writes alone commits by the one
   * statement that stores everything: its end is lost, or a step of it. Rejects if no commit comes in a minute.
   */
  function nextCommit(proxy: DatabaseProxy, fate: Fate, step = 'sync'): Promise<void> {
    return new Promise((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error(`no ${step} of a commit came to meet its fate`)), 60_000);
      proxy.meet = (session, text) => {
        const commits = text === 'commit' || (text.startsWith(`${step} mailcap end batch`) && !session.isInTransaction);
        if (!commits || !session.name.startsWith('mailcap writes')) return 'passed on';
        proxy.meet = () => 'passed on';
        clearTimeout(tooLate);
        resolve();
        return fate;
      };
    });
  }

  test.each([
    ['two servers', 'both'],
    ['one server', 'one'],
  ] as const)(
    'a COMMIT of %s without an answer is looked up: it is acknowledged if it is stored, and else refused',
    UNDER_LOAD,
    async (_, which) => {
      const { proxy, a, b } = await two();
      const fates: readonly Fate[] = ['answer lost', 'lost', 'silence'];
      const loaded = which === 'both' ? [a, b] : [a];
      let met = 0;
      const outcomes = await under(loaded, async (sent) => {
        for (let i = 0; i < COMMITS; i++) {
          // A silence takes seconds to be noticed. One before the end of a statement leaves it open, with its locks.
          const fate = fates[i % 10 === 4 ? 2 : i % 2] ?? 'lost';
          await nextCommit(proxy, fate, STEPS[i % STEPS.length]);
          met++;
          await moreThan(sent, 5);
        }
      });
      await expectTruth(b, outcomes, `${met} commits of ${which} without an answer`);
      for (const reply of outcomes.replies) expect(reply).toMatch(/^45\d 4\./);
      expect(outcomes.unknown.size).toBe(0);
      expect(a.stderr()).toContain('gave no answer to a commit');
      await vi.waitFor(async () => expect(await health(a)).toBe(200), 20_000);
    },
  );

  // By day a database that stays away (away.test.ts) stands for these two.
  unless(test, BY_DAY)('a connection that is cut at any statement loses nothing acknowledged', UNDER_LOAD, async () => {
    const { proxy, a, b } = await two();
    let cuts = 0;
    const outcomes = await under([a, b], async (sent) => {
      for (let after = 0; after < CUTS; after++) {
        let left = after;
        await new Promise<void>((resolve) => {
          proxy.meet = ({ name }) => {
            if (!name.startsWith('mailcap writes') || left-- > 0) return 'passed on';
            proxy.meet = () => 'passed on';
            resolve();
            return 'lost';
          };
        });
        cuts++;
        await moreThan(sent, 3);
      }
    });
    await expectTruth(b, outcomes, `${cuts} cuts, each at another message of the writer`);
  });

  unless(test, BY_DAY)('a network that drops everything for ten seconds needs no restart', UNDER_LOAD, async () => {
    const { proxy, a, b } = await two();
    const outcomes = await under([a, b], async (sent) => {
      proxy.isDeaf = true;
      for (const session of proxy.sessions) session.mute();
      const mutedAt = performance.now();
      await vi.waitFor(async () => expect(await health(a)).toBe(503), 20_000);
      measured(`a silent database is noticed after ${Math.round(performance.now() - mutedAt)} ms`);
      const path = `/v1/mailboxes/${a.ready.mailboxId}/messages`;
      await vi.waitFor(async () => expect((await call(a, 'GET', path)).status).toBe(503), 20_000);
      await vi.waitFor(() => expect(performance.now() - mutedAt).toBeGreaterThan(10_000), 20_000);
      proxy.isDeaf = false;
      await vi.waitFor(async () => expect(await health(a)).toBe(200), 30_000);
      await moreThan(sent, 100);
    });
    await expectTruth(a, outcomes, 'ten seconds of silence');
    expect((await call(a, 'GET', '/_mailcap/faults')).status).toBe(200);
  });

  test('awaits and the feed of a server whose listener hears nothing go on within seconds', UNDER_LOAD, async () => {
    const { proxy, a, b } = await two();
    await using feed = await FeedClient.open(a.ready.feedUrl, 'types=message.received');
    const waiting = call(a, 'GET', `/v1/mailboxes/${a.ready.mailboxId}/messages/await?timeout=60&subject=deaf`);
    await vi.waitFor(async () => expect(await a.get('/_mailcap/info')).toMatchObject({ counts: { waiters: 1 } }), {
      timeout: 15_000,
    });
    const listener = [...proxy.sessions].find(({ name }) => name.startsWith('mailcap listener'));
    listener?.mute();
    await senderTo(b).send('deaf');
    const sentAt = performance.now();
    expect(await (await waiting).json()).toMatchObject({ subject: 'deaf' });
    const told = await feed.take(1);
    const ms = performance.now() - sentAt;
    measured(`a dead listener: await and feed went on after ${Math.round(ms)} ms`);
    expect(told).toMatchObject([{ data: { subject: 'deaf' } }]);
    expect(ms).toBeLessThan(15_000);
    await senderTo(b).send('heard again');
    expect(await feed.take(1)).toHaveLength(1);
    expect(await health(a)).toBe(200);
  });

  // By day the sessions that say nothing are those of the two tests before.
  unless(test, BY_DAY)(
    'a leader whose database session is silent leads again by another session, and is replaced when it is killed',
    UNDER_LOAD,
    async () => {
      const { proxy, a, b } = await two();
      const name = `swallowed${databases - 1}`;
      const leader = () => {
        const [server, process] = cluster.psql('select server, process from mailcap.leader', name).trim().split('|');
        return { server: Number(server), process };
      };
      const numbers = await Promise.all([a, b].map((server) => server.get('/_mailcap/info')));
      const [ofA, ofB] = numbers.map((info) => (info as { server: number }).server);
      const first = leader();
      expect(first.server).toBe(ofA);
      [...proxy.sessions].find((session) => session.name.startsWith('mailcap leader'))?.mute();
      await vi.waitFor(() => expect(leader().process).not.toBe(first.process), { timeout: 30_000 });
      const { server } = leader();
      const [leading, other] = server === ofA ? [a, ofB] : [b, ofA];
      await leading.end('SIGKILL');
      await vi.waitFor(() => expect(leader().server).toBe(other), { timeout: 30_000 });
    },
  );
});
