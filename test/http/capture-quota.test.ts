import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { FeedClient } from '../support/feed-client.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { addHook, type Hook, requestsOf, startTarget } from './hooks.ts';
import { json, outcome } from './support.ts';

const MiB = 1024 * 1024;
const QUOTAS = { captureQuota: MiB, captureTotal: 2 * MiB };
/** A body of which a webhook keeps three. */
const THIRD = 'x'.repeat(300 * 1024);

interface Overview {
  readonly requestCount: number;
  readonly capturedBytes: number;
  readonly trimmed: { readonly count: number; readonly upTo: string } | null;
}

interface Health {
  readonly server?: number;
  readonly captures?: { readonly trimmed: number; readonly refused: number };
}

const post = (hook: Hook, path = '/', body = THIRD) => fetch(hook.url + path, { method: 'POST', body });
const lookAt = (server: TestServer, { id }: Hook) => json<Overview>(server.api(`/_mailcap/webhooks/${id}`));

/** Returns what the quotas cost, of all servers: two that share a store take turns to answer. */
async function costOf(server: TestServer): Promise<{ readonly trimmed: number; readonly refused: number }> {
  const byServer = new Map<number, { readonly trimmed: number; readonly refused: number }>();
  for (let at = 0; at < 4; at++) {
    const { server: number = 1, captures } = await json<Health>(server.api('/_mailcap/health'));
    if (captures !== undefined) byServer.set(number, captures);
  }
  const costs = [...byServer.values()];
  const sum = (name: 'trimmed' | 'refused') => costs.reduce((all, cost) => all + cost[name], 0);
  return { trimmed: sum('trimmed'), refused: sum('refused') };
}

async function fill(hook: Hook, times: number): Promise<void> {
  for (let at = 1; at <= times; at++) expect((await post(hook, `/${at}`)).status).toBe(200);
}

test('over the quota of a webhook its oldest requests are removed; the feed, the overview, health and metrics report it', async () => {
  await using server = await startServer(QUOTAS);
  const hook = await addHook(server);
  await fill(hook, 3);
  expect(await lookAt(server, hook)).toMatchObject({ requestCount: 3, trimmed: null });
  expect(await json<Health>(server.api('/_mailcap/health'))).not.toHaveProperty('captures');
  const [, , first] = await requestsOf(server, hook);
  await using client = await FeedClient.open(server.ready.feedUrl);
  await post(hook, '/4');

  const kept = await requestsOf(server, hook);
  expect(kept.map(({ path }) => path)).toEqual(['/4', '/3', '/2']);
  const [trimmed, captured] = await client.take(2);
  const data = { webhookId: hook.id, count: 1, upTo: first?.id, reason: 'quota' };
  expect(trimmed).toMatchObject({ type: 'webhook.trimmed', workspaceId: server.workspaceId, data });
  expect(captured).toMatchObject({ type: 'webhook.captured', id: kept[0]?.id });
  expect(await outcome(server.api(`/v1/webhooks/requests/${first?.id}`))).toMatchObject({ status: 404 });
  const overview = await lookAt(server, hook);
  expect(overview).toMatchObject({ requestCount: 3, trimmed: { count: 1, upTo: first?.id } });
  expect(overview.capturedBytes).toBeGreaterThan(3 * THIRD.length);
  expect(overview.capturedBytes).toBeLessThanOrEqual(MiB);
  expect(await costOf(server)).toEqual({ trimmed: 1, refused: 0 });
  const metrics = async () => (await server.api('/_mailcap/metrics')).text();
  await expect.poll(metrics).toContain('mailcap_captures_trimmed_total 1');
  expect(await metrics()).toContain(`mailcap_captured_bytes ${overview.capturedBytes}`);
  expect(await json(server.api('/_mailcap/info'))).toMatchObject({
    ...QUOTAS,
    counts: { capturedBytes: overview.capturedBytes },
  });
});

test('over the quota of the server, the webhook with the most bytes loses its oldest requests', async () => {
  await using server = await startServer({ ...QUOTAS, captureTotal: 1_700 * 1024 });
  const [quiet, large, other] = [await addHook(server), await addHook(server), await addHook(server)];
  await fill(quiet, 1);
  await fill(large, 3);
  await fill(other, 2);
  expect(await lookAt(server, quiet)).toMatchObject({ requestCount: 1, trimmed: null });
  expect(await lookAt(server, large)).toMatchObject({ requestCount: 2, trimmed: { count: 1 } });
  expect(await lookAt(server, other)).toMatchObject({ requestCount: 2, trimmed: null });
});

test('a request larger than the quota is 507, declared or not, and removes nothing', async () => {
  await using server = await startServer(QUOTAS);
  const hook = await addHook(server);
  await fill(hook, 3);
  const refused = { status: 507, body: { error: 'capture_quota_reached', limit_bytes: MiB } };
  expect(await outcome(post(hook, '/', 'x'.repeat(MiB + 1)))).toMatchObject(refused);
  // The body alone fits, but the request does not.
  expect(await outcome(post(hook, '/', 'x'.repeat(MiB)))).toMatchObject(refused);
  const stream = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 20; at++) controller.enqueue(Buffer.alloc(100 * 1024));
      controller.close();
    },
  });
  expect(await outcome(fetch(hook.url, { method: 'POST', body: stream, duplex: 'half' }))).toMatchObject(refused);
  expect(await lookAt(server, hook)).toMatchObject({ requestCount: 3, trimmed: null });
  expect(await costOf(server)).toEqual({ trimmed: 0, refused: 3 });
});

test('the answer of a forward target counts too', async () => {
  await using server = await startServer(QUOTAS);
  const target = await addHook(server, { responseBody: 'y'.repeat(60 * 1024) });
  const hook = await addHook(server, { forwardMode: 'sync', forwardUrl: target.url });
  const before = (await lookAt(server, hook)).capturedBytes;
  expect((await post(hook, '/', 'x')).status).toBe(200);
  expect((await lookAt(server, hook)).capturedBytes - before).toBeGreaterThan(60 * 1024);
});

test('requests that wait for their forwarding are removed too, and the server goes on', async () => {
  await using server = await startServer(QUOTAS);
  const hook = await addHook(server, { forwardMode: 'async', forwardUrl: 'http://127.0.0.1:9/' });
  await fill(hook, 9);
  await expect
    .poll(async () => (await requestsOf(server, hook)).map(({ forwardStatus }) => forwardStatus), { timeout: 10_000 })
    .toEqual([3, 3, 3]);
});

test('the error of a wait says that requests were removed, and expectNoRequest does not claim that none came', async () => {
  await using server = await startServer(QUOTAS);
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const webhook = await client.webhook();
  const hook = { url: webhook.url } as Hook; // only the URL is used
  const earlier = await client.webhook(webhook.id);
  await fill(hook, 4);
  const told = /The server has removed 1 of the requests, the oldest ones, to keep its --capture-quota/;
  await expect(webhook.waitForRequest({ path: '/1' }, { timeout: 100 })).rejects.toThrow(told);
  await expect(webhook.expectNoRequest({ path: '/1' }, { for: 50 })).rejects.toMatchObject({
    code: 'requests_trimmed',
  });
  await expect(earlier.expectNoRequest({ path: '/1' }, { for: 50 })).rejects.toThrow(told);
  // What went before a handle was made is nothing to it.
  const later = await client.webhook(webhook.id);
  await later.expectNoRequest({ path: '/1' }, { for: 50 });
  await expect(later.waitForRequest({ path: '/1' }, { timeout: 100 })).rejects.not.toThrow(told);
});

test('an await sees a request in the midst of a flood', async () => {
  await using server = await startServer(QUOTAS);
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const webhook = await client.webhook();
  const hook = { url: webhook.url } as Hook; // only the URL is used
  const flood = Promise.all(Array.from({ length: 4 }, () => fill(hook, 8)));
  const wanted = webhook.waitForRequest({ path: '/wanted' }, { timeout: 10_000 });
  await post(hook, '/wanted', 'w');
  const [request] = await Promise.all([wanted.catch((error: Error) => error.message), flood]);
  if (typeof request === 'string') expect(request).toContain('The awaited one may be among them');
  else expect(request.text()).toBe('w');
});

test('a body waits while others arrive, and is captured after them', async () => {
  await using server = await startServer({ captureQuota: 16 * MiB, captureTotal: 16 * MiB });
  const hook = await addHook(server);
  const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
  slow.write(`POST /hooks/${hook.key}/slow HTTP/1.1\r\nHost: x\r\nContent-Length: ${MiB}\r\n\r\nx`);
  // The slow body takes half of what may arrive at once. The first of these fits beside it, the others wait for it.
  const body = 'x'.repeat(MiB);
  const quick = Promise.all(['/a', '/b', '/c'].map((path) => post(hook, path, body)));
  expect((await quick).map(({ status }) => status)).toEqual([200, 200, 200]);
  slow.write(Buffer.alloc(MiB - 1));
  const [answer] = (await once(slow, 'data')) as [Buffer]; // a socket without an encoding gives buffers
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  slow.destroy();
  expect((await requestsOf(server, hook)).map(({ sizeBytes }) => sizeBytes)).toEqual([MiB, MiB, MiB, MiB]);
});

test('a request with a slow forward target delays no other body', async () => {
  await using server = await startServer({ captureQuota: 16 * MiB, captureTotal: 8 * MiB });
  let answer = () => {};
  const target = await startTarget((res) => {
    answer = () => void res.end();
  });
  const forwarding = await addHook(server, { forwardMode: 'sync', forwardUrl: target.url });
  const other = await addHook(server);
  // Each body takes all of what may arrive at once.
  const held = post(forwarding, '/', 'x'.repeat(2 * MiB));
  await target.until(1);
  expect((await post(other, '/', 'x'.repeat(2 * MiB))).status).toBe(200);
  expect((await requestsOf(server, forwarding))[0]).toMatchObject({ forwardStatus: 1 });
  answer();
  expect((await held).status).toBe(200);
});
