import { describe, expect, test, vi } from 'vitest';
import type { Served } from '../faults/served.ts';
import { Wire } from '../smtp/wire.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { call, measured, senderTo, serveOn, twoOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };
const LATER = '451 4.7.1 try later';

unless(describe, NO_POSTGRES)('what two servers on one database count and keep together', () => {
  const cluster = clusterOfTests();
  let databases = 0;

  const two = (...flags: string[]) => twoOn(cluster.url(`shared${databases++}`), ...flags);

  const put = async (server: Served, ...rules: object[]) =>
    expect((await call(server, 'PUT', '/_mailcap/faults', rules)).status).toBe(200);

  test('100 requests a minute for a key are 100 over both servers', TIMEOUT, async () => {
    const servers = await two();
    const [a] = servers;
    const made = await call(a, 'POST', '/_mailcap/workspaces', { limits: 'cloud' });
    const { id } = (await made.json()) as { id: string };
    const { key } = (await (await call(a, 'POST', `/_mailcap/workspaces/${id}/keys`, {})).json()) as { key: string };
    const asKey = { authorization: `Bearer ${key}` };
    for (let i = 1; i <= 20; i++) {
      const answer = await call(servers[i % 2 === 0 ? 0 : 1], 'GET', '/v1/mailboxes', undefined, asKey);
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(100 - i));
    }
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        call(servers[i % 2 === 0 ? 0 : 1], 'GET', '/v1/mailboxes', undefined, asKey),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(80);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a fault rule set on one server applies to the next connection and request of the other', TIMEOUT, async () => {
    const [a, b] = await two();
    for (let i = 0; i < 10; i++) {
      const [here, there] = i % 2 === 0 ? [a, b] : [b, a];
      await put(here, { stage: 'connect', action: { reply: LATER } }, { stage: 'http', action: { reply: '503 no' } });
      const wire = await Wire.open(there.ready.smtpPort, false);
      expect(await wire.reply()).toBe(LATER);
      wire.close();
      expect((await call(there, 'GET', '/v1/mailboxes')).status).toBe(503);
      await put(there);
      expect((await call(here, 'GET', '/v1/mailboxes')).status).toBe(200);
      await senderTo(here, 1).send('goes through');
    }
  });

  test('times counts over both servers, and both return the same counts', TIMEOUT, async () => {
    const [a, b] = await two();
    await put(a, { stage: 'http', action: { reply: '503 no' }, times: 25 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => call(i % 2 === 0 ? a : b, 'GET', '/v1/mailboxes')),
    );
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(25);
    for (const server of [a, b])
      expect(await server.get('/_mailcap/faults')).toMatchObject([{ times: 25, applied: 25, remaining: 0 }]);
    const startedAt = performance.now();
    await put(b, { stage: 'rcpt', action: { reply: LATER }, times: 3 });
    measured(`fault rules set on all of two servers in ${(performance.now() - startedAt).toFixed(1)} ms`);
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => senderTo(i % 2 === 0 ? a : b, 1).send(`n${i}`)),
    );
    expect(tries.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(await a.messages()).toHaveLength(9);
  });

  test('rules come and go one by one on both servers at once, and each removes only its own', TIMEOUT, async () => {
    const [a, b] = await two();
    await put(a, { stage: 'http', action: { reply: '503 no' }, times: 1 });
    const add = async (server: Served, rule: object) => {
      const answer = await call(server, 'POST', '/_mailcap/faults', rule);
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { id: string }).id;
    };
    const remove = (server: Served, id: string) => call(server, 'DELETE', `/_mailcap/faults/${id}`);
    const kept = await add(a, { stage: 'rcpt', action: { reply: LATER } });
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const [here, there] = i % 2 === 0 ? [a, b] : [b, a];
        const id = await add(here, { stage: 'connect', match: { clientAddress: '10.*' }, action: { drop: true } });
        expect((await remove(there, id)).status).toBe(200);
        expect((await remove(here, id)).status).toBe(404);
      }),
    );
    expect((await call(b, 'GET', '/v1/mailboxes')).status).toBe(503);
    for (const server of [a, b]) {
      expect(await server.get('/_mailcap/faults')).toMatchObject([{ applied: 1, remaining: 0 }, { id: kept }]);
      await expect(senderTo(server, 1).send('x')).rejects.toThrow('451');
    }
    await remove(b, kept);
    await senderTo(a, 1).send('goes through');
    await senderTo(b, 1).send('goes through');
  });

  test('the rules end with the last server, not before', TIMEOUT, async () => {
    const url = cluster.url(`shared${databases++}`);
    const a = await serveOn(url);
    await put(a, { stage: 'rcpt', action: { reply: LATER } });
    const b = await serveOn(url);
    await a.end('SIGTERM');
    expect(await b.get('/_mailcap/faults')).toHaveLength(1);
    await b.end('SIGTERM');
    expect(await (await serveOn(url)).get('/_mailcap/faults')).toEqual([]);
  });

  test('the diagnosis of one server has what the other refused, at once and also after kill -9', TIMEOUT, async () => {
    const [a, b] = await two('--catch-all', 'off');
    const about = `/_mailcap/mailboxes/${a.ready.mailboxId}/diagnosis`;
    for (let i = 0; i < 10; i++) {
      const [here, there] = i % 2 === 0 ? [a, b] : [b, a];
      const refused = await Wire.hello(here.ready.smtpPort);
      await refused.say('MAIL FROM:<app@x.test>');
      expect(await refused.say(`RCPT TO:<nobody-${i}@else.test>`)).toMatch(/^550 /);
      refused.close();
      expect(await there.get(about)).toMatchObject({
        refusals: { items: Array.from({ length: i + 1 }, (_, n) => ({ recipient: `nobody-${i - n}@else.test` })) },
      });
    }
    const wire = await Wire.hello(a.ready.smtpPort);
    await wire.say('MAIL FROM:<open@x.test>');
    const [session] = (await b.get('/_mailcap/smtp/sessions')) as { reached: string; closedAt: null }[];
    expect(session).toMatchObject({ reached: 'mail', closedAt: null });
    wire.close();
    await vi.waitFor(
      () =>
        expect(
          cluster.psql("select count(*) from mailcap.smtp_journal where kind = 'refusal'", `shared${databases - 1}`),
        ).toBe('10'),
      5_000,
    );
    await a.end('SIGKILL');
    expect(await b.get(about)).toMatchObject({ refusals: { items: expect.toSatisfy((items) => items.length === 10) } });
    expect((await call(b, 'POST', '/_mailcap/reset')).status).toBe(204);
    expect(await b.get('/_mailcap/smtp/sessions')).toEqual([]);
    expect(await b.get(about)).toMatchObject({ refusals: { items: [] } });
  });

  test('the newest 200 SMTP sessions of all servers stay on record', TIMEOUT, async () => {
    const [a, b] = await two();
    const hello = async (server: Served, name: string) => {
      const wire = await Wire.open(server.ready.smtpPort);
      await wire.say(`EHLO ${name}.test`);
      await wire.say('QUIT');
      wire.close();
    };
    for (let i = 0; i < 230; i++) await hello(i % 3 === 0 ? a : b, `n${i}`);
    const sessions = (await a.get('/_mailcap/smtp/sessions?limit=200')) as { helo: string }[];
    // Two servers may give sessions of one moment the same time, or times in another order.
    const newest = Array.from({ length: 200 }, (_, i) => `n${229 - i}.test`);
    expect(sessions.map(({ helo }) => helo).sort()).toEqual(newest.sort());
  });

  test(
    'a view link made by one server opens on the other, with its pictures, and not without its token',
    TIMEOUT,
    async () => {
      const [a, b] = await two();
      const picture =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const raw = [
        'From: a@x.test\r\nTo: b@mailcap.example.com\r\nSubject: seen\r\nMIME-Version: 1.0',
        'Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hello</p><img src="cid:p">\r\n--b',
        `Content-Type: image/png\r\nContent-ID: <p>\r\nContent-Transfer-Encoding: base64\r\n\r\n${picture}\r\n--b--\r\n`,
      ].join('\r\n');
      const stored = await fetch(`${a.ready.url}/_mailcap/mailboxes/${a.ready.mailboxId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'message/rfc822' },
        body: raw,
      });
      const { id } = (await stored.json()) as { id: string };
      const { url } = (await (await call(a, 'POST', `/_mailcap/messages/${id}/view`, {})).json()) as { url: string };
      const seen = await fetch(b.ready.url + url);
      expect(seen.status).toBe(200);
      const html = await seen.text();
      expect(html).toContain('Hello');
      const part = /src="(parts\/[^"]+)"/.exec(html)?.[1];
      expect((await fetch(`${a.ready.url}${url}${part}`)).headers.get('content-type')).toBe('image/png');
      for (const token of ['x', '%00', 'a'.repeat(5_000), url.slice('/_mailcap/view/'.length, -2)])
        expect((await fetch(`${b.ready.url}/_mailcap/view/${token}/`)).status).toBe(404);
    },
  );

  test('the awaits of one server are listed and counted by the other', TIMEOUT, async () => {
    const [a, b] = await two();
    const path = `/v1/mailboxes/${a.ready.mailboxId}/messages/await?timeout=60&subject=`;
    const waiting = [call(a, 'GET', `${path}one`), call(b, 'GET', `${path}two`), call(a, 'GET', `${path}three`)];
    for (const server of [a, b]) {
      await vi.waitFor(
        async () => expect(await server.get('/_mailcap/info')).toMatchObject({ counts: { waiters: 3 } }),
        { timeout: 15_000 },
      );
      const waits = (await server.get('/_mailcap/waits')) as { filters: { subject: string } }[];
      expect(waits.map(({ filters }) => filters.subject).sort()).toEqual(['one', 'three', 'two']);
    }
    for (const subject of ['one', 'two', 'three']) await senderTo(b, 1).send(subject);
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    expect(await a.get('/_mailcap/waits')).toEqual([]);
  });

  test('a server that hangs delays requests to it from the other by about a second', TIMEOUT, async () => {
    const [a, b] = await two();
    a.child.kill('SIGSTOP');
    for (const ask of [
      () => put(b, { stage: 'rcpt', action: { reply: LATER } }),
      () => b.get('/_mailcap/info'),
      () => b.get('/_mailcap/waits'),
      () => b.get(`/_mailcap/mailboxes/${b.ready.mailboxId}/diagnosis`),
    ]) {
      const startedAt = performance.now();
      await ask();
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    }
    a.child.kill('SIGCONT');
    await vi.waitFor(() => expect(senderTo(a, 1).send('x')).rejects.toThrow(LATER), 20_000);
  });
});
