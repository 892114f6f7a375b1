import { describe, expect, test, vi } from 'vitest';
import { scriptedRelay } from '../relay/scripted-relay.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { FeedClient } from '../support/feed-client.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { call, measured, senderTo, twoOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };

unless(describe, NO_POSTGRES)('two servers on one database', () => {
  const cluster = clusterOfTests();
  let databases = 0;

  const two = (...flags: string[]) => twoOn(cluster.url(`two${databases++}`), ...flags);

  const subjects = (messages: readonly { subject: string }[]) => messages.map(({ subject }) => subject);

  test(
    'the next request to one server shows what the other acknowledged, and both have the same key',
    TIMEOUT,
    async () => {
      const [a, b] = await two();
      expect(b.ready).toMatchObject({ apiKey: a.ready.apiKey, mailboxId: a.ready.mailboxId });
      const [toA, toB] = [senderTo(a), senderTo(b)];
      const sent: string[] = [];
      for (let i = 0; i < 20; i++) {
        sent.unshift(`to ${i}`);
        await (i % 2 === 0 ? toA : toB).send(`to ${i}`);
        expect(subjects(await (i % 2 === 0 ? b : a).messages())).toEqual(sent);
      }
      for (let i = 0; i < 10; i++) {
        const made = await call(a, 'POST', `/v1/workspaces/${a.ready.workspaceId}/mailboxes`, {
          subdomain: `box-${i}`,
        });
        const { id } = (await made.json()) as { id: string };
        await toB.send('hello', `x@box-${i}.mailcap.example.com`);
        expect(subjects(await a.messages(id))).toEqual(['hello']);
        const [message] = await b.messages(id);
        expect((await call(b, 'DELETE', `/_mailcap/messages/${message?.id}`)).status).toBe(204);
        expect(await a.messages(id)).toEqual([]);
        expect((await call(b, 'DELETE', `/_mailcap/mailboxes/${id}`)).status).toBe(204);
        expect((await call(a, 'GET', `/v1/mailboxes/${id}/messages`)).status).toBe(404);
      }
    },
  );

  test('an await on one ends by mail to the other', TIMEOUT, async () => {
    const [a, b] = await two();
    const toA = senderTo(a);
    const waits: number[] = [];
    for (let i = 0; i < 30; i++) {
      const waiting = call(b, 'GET', `/v1/mailboxes/${b.ready.mailboxId}/messages/await?timeout=20&subject=n${i}x`);
      await vi.waitFor(async () => expect(await b.get('/_mailcap/info')).toMatchObject({ counts: { waiters: 1 } }), {
        interval: 5,
      });
      await toA.send(`n${i}x`);
      const acknowledgedAt = performance.now();
      const answer = await waiting;
      waits.push(performance.now() - acknowledgedAt);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ subject: `n${i}x` });
    }
    waits.sort((one, other) => one - other);
    measured(`await across servers: p50 ${waits[15]?.toFixed(1)} ms, slowest ${waits.at(-1)?.toFixed(1)} ms`);
  });

  test(
    'the feed of each server has the mail of both in one order without a gap, and resumes on the other',
    TIMEOUT,
    async () => {
      const [a, b] = await two();
      await using onA = await FeedClient.open(a.ready.feedUrl, 'types=message.received');
      await using onB = await FeedClient.open(b.ready.feedUrl, 'types=message.received');
      const senders = [senderTo(a), senderTo(b)];
      const each = 150;
      await Promise.all(
        senders.flatMap((sender, at) => Array.from({ length: each }, (_, i) => sender.send(`${at}-${i}`))),
      );
      const ids = [await onA.take(2 * each), await onB.take(2 * each)].map((events) => events.map(({ id }) => id));
      expect(ids[0]).toEqual(ids[1]);
      expect(ids[0]).toEqual([...new Set(ids[0])].sort());
      const middle = ids[0]?.[each] ?? '';
      await using resumed = await FeedClient.open(b.ready.feedUrl, `types=message.received&since=${middle}`);
      expect((await resumed.take(each - 1)).map(({ id }) => id)).toEqual(ids[0]?.slice(each + 1));
    },
  );

  test(
    'a clock that is set on one server applies to the other at once, and a reset of one resets both',
    TIMEOUT,
    async () => {
      const [a, b] = await two();
      expect((await call(a, 'PUT', '/_mailcap/clock', { offsetSeconds: 86_400 })).status).toBeLessThan(300);
      await senderTo(b).send('tomorrow');
      const [message] = (await a.get(`/v1/mailboxes/${a.ready.mailboxId}/messages`)) as { receivedAt: string }[];
      expect(Date.parse(message?.receivedAt ?? '') - Date.now()).toBeGreaterThan(86_000_000);
      await call(b, 'PUT', '/_mailcap/faults', [{ stage: 'rcpt', reply: '451 4.3.0 Later' }]);
      expect((await call(a, 'POST', '/_mailcap/reset')).status).toBe(204);
      expect(await b.messages()).toEqual([]);
      await vi.waitFor(() => senderTo(b).send('after the reset'), { timeout: 15_000 });
      const [after] = (await a.get(`/v1/mailboxes/${a.ready.mailboxId}/messages`)) as { receivedAt: string }[];
      expect(Date.parse(after?.receivedAt ?? '')).toBeLessThan(Date.now() + 1_000);
    },
  );

  test('a key revoked on one is refused by the other at once', TIMEOUT, async () => {
    const [a, b] = await two();
    for (let i = 0; i < 5; i++) {
      const made = await call(a, 'POST', `/_mailcap/workspaces/${a.ready.workspaceId}/keys`, { name: `k${i}` });
      const { id, key } = (await made.json()) as { id: string; key: string };
      const asKey = { authorization: `Bearer ${key}` };
      const path = `/v1/mailboxes/${b.ready.mailboxId}/messages`;
      expect((await call(b, 'GET', path, undefined, asKey)).status).toBe(200);
      expect((await call(a, 'DELETE', `/_mailcap/keys/${id}`)).status).toBe(204);
      expect((await call(b, 'GET', path, undefined, asKey)).status).toBe(401);
    }
  });

  test('an await on one ends with 401 when its key is revoked on the other', TIMEOUT, async () => {
    const [a, b] = await two();
    const made = await call(a, 'POST', `/_mailcap/workspaces/${a.ready.workspaceId}/keys`, { name: 'held' });
    const { id, key } = (await made.json()) as { id: string; key: string };
    const path = `/v1/mailboxes/${b.ready.mailboxId}/messages/await?timeout=60`;
    const waiting = call(b, 'GET', path, undefined, { authorization: `Bearer ${key}` });
    await vi.waitFor(async () => expect(await b.get('/_mailcap/info')).toMatchObject({ counts: { waiters: 1 } }), {
      timeout: 15_000,
    });
    expect((await call(a, 'DELETE', `/_mailcap/keys/${id}`)).status).toBe(204);
    expect((await waiting).status).toBe(401);
  });

  test('each scripted answer of a webhook is given once, whichever server is asked', TIMEOUT, async () => {
    const [a, b] = await two();
    const { id, key } = (await (await call(a, 'POST', '/v1/webhooks', {})).json()) as { id: string; key: string };
    const statuses = Array.from({ length: 20 }, (_, i) => 210 + i);
    const script = statuses.map((status) => ({ status }));
    expect((await call(b, 'PUT', `/_mailcap/webhooks/${id}/responses`, script)).status).toBeLessThan(300);
    const captured = statuses.map((_, i) => fetch(`${[a, b][i % 2]?.ready.url}/hooks/${key}`, { method: 'POST' }));
    expect((await Promise.all(captured)).map(({ status }) => status).sort()).toEqual(statuses);
  });

  test('one Idempotency-Key at both servers at the same time has one effect and one answer', TIMEOUT, async () => {
    const [a, b] = await two();
    for (let i = 0; i < 10; i++) {
      const answers = await Promise.all(
        [a, b, a, b].map((server) =>
          call(
            server,
            'POST',
            `/v1/workspaces/${a.ready.workspaceId}/mailboxes`,
            { subdomain: `once-${i}` },
            { 'idempotency-key': `key-${i}` },
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      const made = (await Promise.all(answers.map((answer) => answer.json()))) as { id: string }[];
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    }
  });

  test('a leader that hangs is replaced, and delivers nothing when it continues', TIMEOUT, async () => {
    await using relay = await scriptedRelay();
    const [a, b] = await two('--relay', relay.url);
    await call(a, 'PATCH', `/_mailcap/mailboxes/${a.ready.mailboxId}`, { allowlist: ['*.elsewhere.test'] });
    const send = async (subject: string) => {
      const answer = await call(b, 'POST', `/v1/mailboxes/${a.ready.mailboxId}/send`, {
        ...{ from: 'app@mailcap.example.com', to: `${subject}@elsewhere.test`, subject, textBody: 'x' },
      });
      expect(answer.status).toBe(202);
    };
    await send('before');
    await vi.waitFor(() => expect(relay.taken).toHaveLength(1), { timeout: 10_000 });
    expect(a.stderr()).toContain('this server delivers, forwards and sweeps from now on');
    a.child.kill('SIGSTOP');
    const stoppedAt = performance.now();
    await send('while');
    await vi.waitFor(() => expect(relay.taken).toHaveLength(2), { timeout: 20_000, interval: 20 });
    measured(`taken over ${Math.round(performance.now() - stoppedAt)} ms after SIGSTOP`);
    a.child.kill('SIGCONT');
    await vi.waitFor(() => expect(a.stderr()).toContain('another session holds the lock of the leader'), {
      timeout: 10_000,
    });
    await send('after');
    await vi.waitFor(() => expect(relay.taken).toHaveLength(3), { timeout: 10_000 });
    expect(relay.seen).toHaveLength(3);
  });

  test(
    'one server sends mail to the relay; after kill -9 the other takes over, and no mail is sent twice',
    TIMEOUT,
    async () => {
      await using relay = await scriptedRelay();
      const [a, b] = await two('--relay', relay.url);
      await call(a, 'PATCH', `/_mailcap/mailboxes/${a.ready.mailboxId}`, { allowlist: ['*.elsewhere.test'] });
      const send = (server: typeof a, subject: string) =>
        call(server, 'POST', `/v1/mailboxes/${a.ready.mailboxId}/send`, {
          ...{ from: 'app@mailcap.example.com', to: 'ada@elsewhere.test', subject, textBody: 'x' },
        });
      for (let i = 0; i < 20; i++) expect((await send(i % 2 === 0 ? a : b, `before-${i}`)).status).toBe(202);
      await vi.waitFor(() => expect(relay.taken).toHaveLength(20), { timeout: 10_000 });
      await a.end('SIGKILL');
      const killedAt = performance.now();
      for (let i = 0; i < 20; i++) expect((await send(b, `after-${i}`)).status).toBe(202);
      await vi.waitFor(() => expect(relay.taken.length).toBeGreaterThan(20), { timeout: 10_000, interval: 5 });
      measured(`taken over ${Math.round(performance.now() - killedAt)} ms after kill -9`);
      await vi.waitFor(() => expect(relay.taken).toHaveLength(40), { timeout: 10_000 });
      const seen = relay.seen.map(({ raw }) => /^Subject: (\S+)/m.exec(raw)?.[1]);
      expect(new Set(seen).size).toBe(40);
      expect(seen).toHaveLength(40);
    },
  );
});
