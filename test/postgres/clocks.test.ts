import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import type { Clock } from '../../src/ports/system.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { FeedClient } from '../support/feed-client.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { MAILS, UNDER_LOAD } from './load.ts';
import { measured, senderTo } from './servers.ts';

const APART_MS = 10_000;
/** The mails to each server. */
const EACH = MAILS > 0 ? MAILS / 2 : 150;

/** Returns the clock of a machine that is wrong by `errorMs`. */
function wrongClock(errorMs: number): Clock & { jump(byMs: number): void } {
  const real = systemClock();
  let error = errorMs;
  return {
    ...real,
    now: () => real.now() + error,
    jump: (byMs) => {
      error += byMs;
    },
  };
}

unless(describe, NO_POSTGRES)('two servers whose clocks are ten seconds apart', () => {
  const cluster = clusterOfTests();
  let databases = 0;

  async function two() {
    const store = cluster.url(`clocks${databases++}`);
    const clocks = [wrongClock(-APART_MS / 2), wrongClock(APART_MS / 2)] as const;
    const start = async (clock: Clock) => {
      const server = await startServer({
        ...{ store, ephemeral: false, dataDir: await temporaryDirectory() },
        overrides: { clock },
      });
      onTestFinished(() => server.close());
      return server;
    };
    return { clocks, a: await start(clocks[0]), b: await start(clocks[1]) };
  }

  const listOf = async (server: TestServer, query = '') => {
    const answer = await server.api(`/v1/mailboxes/${server.mailboxId}/messages${query}`);
    return (await answer.json()) as { id: string; subject: string; receivedAt: string }[];
  };
  const send = (server: TestServer, subject: string) => senderTo(server, 1).send(subject);

  test('follow the clock of the database, also when one jumps', UNDER_LOAD, async () => {
    const { clocks, a, b } = await two();
    for (const clock of clocks) expect(Math.abs(clock.now() - Date.now())).toBeLessThan(2_000);
    clocks[1].jump(60_000);
    await vi.waitFor(() => expect(Math.abs(clocks[1].now() - Date.now())).toBeLessThan(2_000), { timeout: 20_000 });
    await send(b, 'after the jump');
    const [message] = await listOf(a);
    expect(Math.abs(Date.parse(message?.receivedAt ?? '') - Date.now())).toBeLessThan(10_000);
  });

  test('keep one order, find what was just sent to the other, and count one window', UNDER_LOAD, async () => {
    const { a, b } = await two();
    const sent: string[] = [];
    for (let i = 0; i < 20; i++) {
      const [here, there] = i % 2 === 0 ? [a, b] : [b, a];
      sent.unshift(`n${i}`);
      await send(here, `n${i}`);
      // By its default an await looks five seconds back, by the clock of the server that is asked.
      const found = await there.api(`/v1/mailboxes/${a.mailboxId}/messages/await?timeout=5&subject=n${i}`);
      expect(found.status).toBe(200);
    }
    for (const server of [a, b]) {
      const list = await listOf(server);
      expect(list.map(({ subject }) => subject)).toEqual(sent);
      expect(list.map(({ id }) => id)).toEqual(
        list
          .map(({ id }) => id)
          .sort()
          .reverse(),
      );
      const times = list.map(({ receivedAt }) => Date.parse(receivedAt)).reverse();
      // The clocks agree to some tenths of a second.
      times.reduce((before, time) => {
        expect(time).toBeGreaterThan(before - 2_000);
        return time;
      }, 0);
    }
    const made = await a.api('/_mailcap/workspaces', { json: { limits: 'cloud' } });
    const { id } = (await made.json()) as { id: string };
    const { key } = (await (await a.api(`/_mailcap/workspaces/${id}/keys`, { json: {} })).json()) as { key: string };
    const asked = Array.from({ length: 120 }, (_, i) =>
      (i % 2 === 0 ? a : b).api('/v1/mailboxes', { headers: { authorization: `Bearer ${key}` } }),
    );
    expect((await Promise.all(asked)).filter(({ status }) => status === 200)).toHaveLength(100);
  });

  test('keep idempotency and retention', UNDER_LOAD, async () => {
    const { a, b } = await two();
    const headers = { 'idempotency-key': 'one' };
    const answers = await Promise.all(
      [a, b, a, b].map(async (server) => {
        const json = { subdomain: 'once' };
        const answer = await server.api(`/v1/workspaces/${a.workspaceId}/mailboxes`, { json, headers });
        return ((await answer.json()) as { id: string }).id;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    await send(a, 'old');
    await a.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 400 * 86_400 } });
    await send(b, 'new');
    for (const server of [a, b]) expect((await listOf(server)).map(({ subject }) => subject)).toEqual(['new']);
    // The stored answer is gone after a day, on both.
    const again = await b.api(`/v1/workspaces/${a.workspaceId}/mailboxes`, { json: { subdomain: 'once' }, headers });
    expect(again.status).toBe(409);
  });

  test('lose nothing under load, and the feed of each has the same order without a gap', UNDER_LOAD, async () => {
    const { clocks, a, b } = await two();
    await using onA = await FeedClient.open(a.ready.feedUrl, 'types=message.received');
    await using onB = await FeedClient.open(b.ready.feedUrl, 'types=message.received');
    const subjects = await Promise.all(
      [a, b].flatMap((server, at) =>
        Array.from({ length: 5 }, async (_, from) => {
          const sender = senderTo(server, 1);
          const sent: string[] = [];
          for (let i = from; i < EACH; i += 5) {
            // Both jump in the middle, one ahead and one back.
            if (i === Math.floor(EACH / 2)) clocks[at]?.jump(at === 0 ? APART_MS : -APART_MS);
            await sender.send(`${at}-${i}`);
            sent.push(`${at}-${i}`);
          }
          return sent;
        }),
      ),
    );
    const ids = [await onA.take(2 * EACH), await onB.take(2 * EACH)].map((events) => events.map(({ id }) => id));
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[0]).toEqual([...new Set(ids[0])].sort());
    const stored = new Set(onA.events.map(({ data }) => data['subject']));
    const missing = subjects.flat().filter((subject) => !stored.has(subject));
    measured(`clocks ten seconds apart: ${subjects.flat().length} acknowledged; ${missing.length} missing`);
    expect(missing).toEqual([]);
    expect(stored.size).toBe(2 * EACH);
  });
});
