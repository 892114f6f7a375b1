import { describe, expect, test as plain, vi } from 'vitest';
import type { Served } from '../faults/served.ts';
import { type ScriptedRelay, scriptedRelay } from '../relay/scripted-relay.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import type { SendState } from '../support/outbound.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { senderTo, serveOn } from './servers.ts';

// Mail that leaves by itself (docs/drop-in.md#mail-that-leaves-by-itself), from servers that share a database.

const WAIT = { timeout: 60_000, interval: 20 };

const test = plain.extend<{ relay: ScriptedRelay; start: (url: string) => Promise<Served> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
  relay: async ({}, use) => {
    await using relay = await scriptedRelay();
    await use(relay);
  },
  start: async ({ relay }, use) => {
    const { hostname, port } = new URL(relay.url);
    vi.stubEnv('MP_SMTP_RELAY_ALL', 'true');
    vi.stubEnv('MP_SMTP_RELAY_HOST', hostname);
    vi.stubEnv('MP_SMTP_RELAY_PORT', port);
    await use((url) => serveOn(url));
    vi.unstubAllEnvs();
  },
});

const taken = (relay: ScriptedRelay) =>
  relay.taken.flatMap(({ raw, rcptTo }) => rcptTo.map((to) => `${/^Subject: (.*)\r$/m.exec(raw)?.[1]} ${to}`)).sort();

unless(describe, NO_POSTGRES)('on PostgreSQL', () => {
  const cluster = clusterOfTests();

  test('a kill between two tries loses no recipient, and none gets the mail twice', {
    timeout: 180_000,
  }, async ({ relay, start }) => {
    const url = cluster.url('between');
    relay.script = { rcpt: (address) => (address.startsWith('busy') ? '451 4.3.0 Later' : '250 Ok') };
    const first = await start(url);
    await senderTo(first).send('one', 'ada@x.test, busy@x.test');
    const [sent] = await vi.waitFor(async () => {
      const sends = await first.get<SendState[]>('/_mailcap/sends');
      expect(sends[0]?.recipients).toMatchObject([{ state: 'delivered' }, { state: 'queued', attempts: 1 }]);
      return sends;
    }, WAIT);
    await first.end('SIGKILL');
    relay.script = {};
    const second = await start(url);
    await vi.waitFor(() => expect(taken(relay)).toEqual(['one ada@x.test', 'one busy@x.test']), WAIT);
    await vi.waitFor(
      async () => expect(await second.get(`/_mailcap/sends/${sent?.id}`)).toMatchObject({ state: 'delivered' }),
      WAIT,
    );
  });

  test('a kill right after the 250 loses nothing: another server sends the mail', {
    timeout: 180_000,
  }, async ({ relay, start }) => {
    const url = cluster.url('after-250');
    relay.script = { greet: () => '421 4.3.2 Away' };
    const [first] = [await start(url), await start(url)];
    const app = senderTo(first);
    for (const subject of ['a', 'b', 'c']) await app.send(subject, 'ada@x.test');
    await first.end('SIGKILL');
    relay.script = {};
    await vi.waitFor(() => expect(taken(relay)).toEqual(['a ada@x.test', 'b ada@x.test', 'c ada@x.test']), WAIT);
  });

  test('servers that are killed in turn under load send each mail once', {
    timeout: 240_000,
  }, async ({ relay, start }) => {
    const url = cluster.url('in-turn');
    let turns = 0;
    // Some wait for another try when their server is killed.
    relay.script = { rcpt: () => (turns++ % 5 === 3 ? '451 4.7.1 Later' : '250 Ok') };
    const servers = [await start(url), await start(url)];
    const accepted: string[] = [];
    for (let round = 0; round < 4; round++) {
      const from = relay.taken.length;
      const sending = servers.map(async (served, at) => {
        const app = senderTo(served);
        for (let nth = 0; nth < 25; nth++) {
          const subject = `${round}-${at}-${nth}`;
          await app.send(subject, 'ada@x.test, bob@x.test').then(
            () => accepted.push(subject),
            () => {},
          );
        }
      });
      await vi.waitFor(() => expect(relay.taken.length).toBeGreaterThan(from + 3), { ...WAIT, interval: 1 });
      await servers[round % 2]?.end('SIGKILL');
      await Promise.all(sending);
      servers[round % 2] = await start(url);
    }
    relay.script = {};
    const sends = await vi.waitFor(async () => {
      const all: SendState[] = [];
      for (let before = ''; ; ) {
        const page = await (servers[0] as Served).get<SendState[]>(`/_mailcap/sends?limit=200${before}`);
        all.push(...page);
        if (page.length < 200) break;
        before = `&before=${page.at(-1)?.id}`;
      }
      for (const { state } of all) expect(state).not.toBe('queued');
      return all;
    }, WAIT);
    const times = new Map<string, number>();
    for (const mail of taken(relay)) times.set(mail, (times.get(mail) ?? 0) + 1);
    expect([...times].filter(([, count]) => count > 1)).toEqual([]);
    const bySubject = new Map(
      (await (servers[0] as Served).messages()).map(({ id, subject }) => [
        subject,
        sends.find((one) => one.messageId === id),
      ]),
    );
    expect(accepted.length).toBeGreaterThan(100);
    for (const subject of accepted)
      for (const { address, state, lastReply } of bySubject.get(subject)?.recipients ?? [null as never]) {
        if (state === 'delivered') expect(times.get(`${subject} ${address}`), `${subject} ${address}`).toBe(1);
        // The connection broke after the mail, before its answer: nobody knows whether it was taken.
        else expect([state, lastReply], subject).toEqual(['failed', expect.stringContaining('may have been')]);
      }
  });
});
