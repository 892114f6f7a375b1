import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished } from 'vitest';
import { test } from '../support/mailcap.ts';
import { at } from '../support/moment.ts';
import { addHook, eventually, lastRequest, type RequestView, requestsOf, startTarget, wire } from './hooks.ts';
import { addWorkspace, outcome } from './support.ts';

const settled = ({ forwardStatus }: RequestView) => forwardStatus >= 2;

describe('sync', () => {
  test('the caller gets the configured response, and the outcome is on record by then', async ({ mailcap }) => {
    const target = await startTarget((res) => res.writeHead(201).end('made'));
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url, responseStatus: 202 });
    expect((await fetch(hook.url, { method: 'POST', body: 'x' })).status).toBe(202);
    expect(await lastRequest(mailcap, hook)).toMatchObject({
      responseStatus: 202,
      forwardStatus: 2,
      forwardHttpStatus: 201,
      forwardAttempts: 1,
      forwardedAt: expect.any(String),
      forwardError: null,
      forwardResponse: 'made',
    });
  });

  test.for<[number, number]>([
    [302, 2],
    [399, 2],
    [404, 3],
    [500, 3],
  ])('a target that answers %d: forwardStatus %d, after one attempt', async ([status, forwardStatus], { mailcap }) => {
    const target = await startTarget((res) => res.writeHead(status, { Location: '/elsewhere' }).end());
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
    expect((await fetch(hook.url)).status).toBe(200);
    expect(await lastRequest(mailcap, hook)).toMatchObject({
      forwardStatus,
      forwardHttpStatus: status,
      forwardAttempts: 1,
      forwardError: forwardStatus === 3 ? `the target answered ${status}` : null,
    });
    // The server follows no redirect.
    expect(target.received).toHaveLength(1);
  });

  test('a target that refuses connections, or drops them, has failed and says why', async ({ mailcap }) => {
    const dead = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: 'http://127.0.0.1:9' });
    expect((await fetch(dead.url)).status).toBe(200);
    const request = await lastRequest(mailcap, dead);
    expect(request).toMatchObject({ forwardStatus: 3, forwardHttpStatus: null, forwardAttempts: 1 });
    expect(request.forwardError).toMatch(/ECONNREFUSED/);

    const target = await startTarget((res) => res.destroy());
    const dropping = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
    expect((await fetch(dropping.url, { method: 'POST', body: 'x' })).status).toBe(200);
    expect(await lastRequest(mailcap, dropping)).toMatchObject({
      forwardStatus: 3,
      forwardError: expect.stringMatching(/\S/),
    });
    expect(target.received).toHaveLength(1);
  });

  test('a compressed answer is kept as its text, up to the same 64 KiB', async ({ mailcap }) => {
    const target = await startTarget((res, { url }) => {
      const body = url === '/bomb' ? Buffer.alloc(20 * 1024 * 1024, 'x') : '{"received":true}';
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(body));
    });
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
    await fetch(hook.url);
    expect((await lastRequest(mailcap, hook)).forwardResponse).toBe('{"received":true}');
    await fetch(`${hook.url}/bomb`);
    expect((await lastRequest(mailcap, hook)).forwardResponse).toBe('x'.repeat(65_536));
  });

  test('an answer that breaks off counts by its status; of a long one the first 64 KiB are kept', async ({
    mailcap,
  }) => {
    const target = await startTarget((res, { url }) => {
      if (url === '/long') res.end('x'.repeat(200_000));
      else res.writeHead(200, { 'Content-Length': '100' }).write('begun', () => res.destroy());
    });
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
    await fetch(`${hook.url}/long`);
    expect((await lastRequest(mailcap, hook)).forwardResponse).toBe('x'.repeat(65_536));
    await fetch(hook.url);
    expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 2, forwardResponse: 'begun' });
  });
});

describe('a forward is what came', () => {
  test('method, sub-path, query, headers and bytes', async ({ mailcap }) => {
    const target = await startTarget();
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: `${target.url}/base/?own=1` });
    const body = gzipSync('{"a":1.0}');
    const head = [
      `PROPPATCH /hooks/${hook.key}/a%2Fb/../c?q=%20&q HTTP/1.1`,
      'Host: caller.example',
      'X-Signature: t=1,v1=abc',
      'x-TWICE: 1',
      'X-Twice: 2',
      'Content-Encoding: gzip',
      'Content-Type: application/json',
      'Accept-Encoding: br',
      'Connection: close, X-Hop',
      'X-Hop: gone',
      'TE: trailers',
      `Content-Length: ${body.length}`,
    ];
    await wire(hook.url, [`${head.join('\r\n')}\r\n\r\n`, body]);
    const [received] = await target.until(1);
    expect(received).toMatchObject({ method: 'PROPPATCH', url: '/base/a%2Fb/../c?own=1&q=%20&q', body });
    expect(received?.headers.host).toBe(`127.0.0.1:${target.port}`);
    const sent = pairs(received?.rawHeaders ?? []).filter(
      ([name]) => !/^(host|connection|content-length)$/i.test(name),
    );
    expect(sent).toEqual([
      ['X-Signature', 't=1,v1=abc'],
      ['x-TWICE', '1'],
      ['X-Twice', '2'],
      ['Content-Encoding', 'gzip'],
      ['Content-Type', 'application/json'],
      ['Accept-Encoding', 'br'],
    ]);
    expect(received?.headers['content-length']).toBe(String(body.length));
  });

  test.for(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])(
    '%s without a body, and with one',
    async (method, { mailcap }) => {
      const target = await startTarget();
      const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
      const head = (more: string) =>
        `${method} /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`;
      await wire(hook.url, [head('')]);
      expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 2 });
      await wire(hook.url, [head('Content-Length: 4\r\n'), 'body']);
      expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 2 });
      expect(target.received.map(({ method: sent, body }) => [sent, body.toString()])).toEqual([
        [method, ''],
        [method, 'body'],
      ]);
    },
  );

  test('a large chunked body is forwarded to the byte, and an answer in gzip is kept as its text', async ({
    mailcap,
  }) => {
    const target = await startTarget((res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('fine')));
    const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: target.url });
    const body = randomBytes(3_000_000);
    const init = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit; // fetch's types lack duplex
    await fetch(hook.url, init);
    const [received] = await target.until(1);
    expect(received?.body.equals(body)).toBe(true);
    expect(received?.headers['content-length']).toBe('3000000');
    const { forwardStatus, forwardResponse } = await lastRequest(mailcap, hook);
    expect([forwardStatus, forwardResponse]).toEqual([2, 'fine']);
  });
});

describe('async', () => {
  test('answers first and forwards afterwards', async ({ mailcap }) => {
    let release = () => {};
    const target = await startTarget((res) => {
      release = () => res.end('late');
    });
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    expect((await fetch(hook.url)).status).toBe(200);
    await target.until(1);
    expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 1, forwardAttempts: 0 });
    release();
    const request = await eventually(() => lastRequest(mailcap, hook), settled);
    expect(request).toMatchObject({ forwardStatus: 2, forwardHttpStatus: 200, forwardResponse: 'late' });
  });

  test('up to three attempts on 5xx and connection failures: 500, dropped, then delivered', async ({ mailcap }) => {
    const target = await startTarget((res, _received, count) => {
      if (count === 1) res.writeHead(500).end('not yet');
      else if (count === 2) res.destroy();
      else res.end('thanks');
    });
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    await fetch(hook.url, { method: 'POST', body: 'x' });
    const once = await eventually(
      () => lastRequest(mailcap, hook),
      ({ forwardAttempts }) => forwardAttempts === 1,
    );
    expect(once).toMatchObject({ forwardStatus: 1, forwardHttpStatus: 500, forwardResponse: 'not yet' });
    const request = await eventually(() => lastRequest(mailcap, hook), settled);
    expect(request).toMatchObject({ forwardStatus: 2, forwardAttempts: 3, forwardError: null });
    expect(target.received.map(({ body }) => body.toString())).toEqual(['x', 'x', 'x']);
  });

  test('after the third it has failed; a 4xx is not tried again', async ({ mailcap }) => {
    const target = await startTarget((res, { url }) => res.writeHead(url === '/gone' ? 410 : 503).end());
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    await fetch(`${hook.url}/gone`);
    const gone = await eventually(() => lastRequest(mailcap, hook), settled);
    expect(gone).toMatchObject({ forwardStatus: 3, forwardHttpStatus: 410, forwardAttempts: 1 });
    await fetch(hook.url);
    const failed = await eventually(() => lastRequest(mailcap, hook), settled);
    expect(failed).toMatchObject({ forwardStatus: 3, forwardHttpStatus: 503, forwardAttempts: 3 });
    expect(target.received).toHaveLength(4);
  });

  test('targets that never answer delay no other forward', async ({ mailcap }) => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { headers } = await addWorkspace(mailcap);
    const settings = { forwardMode: 'async', forwardUrl: `http://127.0.0.1:${port}` };
    const held = await Promise.all(Array.from({ length: 20 }, () => addHook(mailcap, settings, headers)));
    await Promise.all(held.flatMap(({ url }) => Array.from({ length: 20 }, () => fetch(url))));
    const target = await startTarget();
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    const before = performance.now();
    await fetch(hook.url);
    await target.until(1);
    // A try that gets no answer ends after ten seconds.
    expect(performance.now() - before).toBeLessThan(8_000);
    await Promise.all(held.map(({ id }) => mailcap.api(`/v1/webhooks/${id}`, { method: 'DELETE', headers })));
  });

  test('forwards that wait when forwarding is turned off fail, and say so', async ({ mailcap }) => {
    const target = await startTarget((res) => res.writeHead(500).end());
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    await fetch(hook.url);
    await target.until(1);
    await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json: { forwardMode: 'off' } });
    const request = await eventually(() => lastRequest(mailcap, hook), settled);
    expect(request).toMatchObject({ forwardStatus: 3, forwardError: 'forwarding was turned off' });
  });

  test('every final outcome is an event that names its request', async ({ mailcap }) => {
    const target = await startTarget();
    const hook = await addHook(mailcap, { forwardMode: 'async', forwardUrl: target.url });
    const { events } = mailcap.ctx.store.read;
    const after = await events.lastId();
    await fetch(hook.url);
    const request = await eventually(() => lastRequest(mailcap, hook), settled);
    const items = await events.list({ after, limit: 100, now: at(mailcap.ctx.clock.now()) });
    const told = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    expect(told).toMatchObject([
      {
        type: 'webhook.forwarded',
        workspaceId: mailcap.workspaceId,
        data: {
          webhookId: hook.id,
          requestId: request.id,
          forwardStatus: 'delivered',
          forwardHttpStatus: 200,
          forwardAttempts: 1,
        },
      },
    ]);
  });
});

test('webhooks that forward to each other in a circle come to an end, which is on record', async ({ mailcap }) => {
  const one = await addHook(mailcap, { forwardMode: 'async', forwardUrl: 'http://127.0.0.1:9' });
  const two = await addHook(mailcap, { forwardMode: 'async', forwardUrl: one.url });
  await mailcap.api(`/v1/webhooks/${one.id}`, { method: 'PATCH', json: { forwardUrl: two.url } });
  await fetch(one.url, { method: 'POST', body: 'round' });
  const all = async () => [...(await requestsOf(mailcap, one)), ...(await requestsOf(mailcap, two))];
  const requests = await eventually(all, (list) => list.length === 6 && list.every(settled));
  expect(requests.filter(({ forwardStatus }) => forwardStatus === 3)).toHaveLength(1);
  const [last] = requests.filter(({ forwardStatus }) => forwardStatus === 3);
  expect(await outcome(mailcap.api(`/v1/webhooks/requests/${last?.id}`))).toMatchObject({
    body: { forwardError: 'webhooks forward to each other in a circle', headers: { 'mailcap-hops': '5' } },
  });
});

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as [string, string]] : []));
}
