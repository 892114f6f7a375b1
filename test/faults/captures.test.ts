import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Received, startTarget, wire } from '../http/hooks.ts';
import { Wire } from '../smtp/wire.ts';
import { IS_NIGHT } from '../support/night.ts';
import { peakMegabytes, type Served, serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-captures-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Captured {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
}

/**
 * Creates a webhook and returns its id and the key of its URL, which are valid in every process that
 * serves the directory.
 */
async function addHook(served: Served, settings: object = {}): Promise<{ id: string; key: string }> {
  const response = await fetch(`${served.ready.apiUrl}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.ready.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  return (await response.json()) as { id: string; key: string }; // the API returns a WebhookView
}

async function requestsOf(served: Served, hookId: string): Promise<{ items: Captured[]; total: number }> {
  const items: Captured[] = [];
  for (let page = 1; ; page++) {
    const path = `/v1/webhooks/${hookId}/requests?pageSize=200&page=${page}`;
    const answer = await served.get<{ items: Captured[]; total: number }>(path);
    items.push(...answer.items);
    if (answer.items.length < 200) return { items, total: answer.total };
  }
}

async function bodyOf(served: Served, id: string): Promise<string> {
  return (await fetch(`${served.ready.url}/_mailcap/webhooks/requests/${id}/body`)).text();
}

const ROUNDS = IS_NIGHT ? 6 : 3;

test(`after kill -9 under captures, ${ROUNDS} times, every request that was answered is there, and is forwarded`, async () => {
  const target = await startTarget();
  const answered = new Map<string, string>();
  let hook = { id: '', key: '' };
  let wake = () => {};
  const until = async (count: number) => {
    while (answered.size < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const send = async (served: Served, round: number, sender: number): Promise<never> => {
    for (let i = 0; ; i++) {
      const marker = `/r${round}-s${sender}-${i}`;
      // Every third body is large enough to be streamed.
      const body = `${marker} `.repeat(i % 3 === 0 ? 12_000 : 100);
      const response = await fetch(`${served.ready.webhookBaseUrl}/${hook.key}${marker}`, { method: 'POST', body });
      if (response.status !== 200) throw new Error(`${response.status}`);
      answered.set(marker, body);
      wake();
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    const served = await serve(directory);
    if (round === 0) hook = await addHook(served, { forwardMode: 'async', forwardUrl: target.url });
    const load = Promise.allSettled(Array.from({ length: 8 }, (_, i) => send(served, round, i)));
    await until(answered.size + 20 + ((round * 37) % 90));
    await served.end('SIGKILL');
    await load;
  }
  const served = await serve(directory);
  const { items, total } = await requestsOf(served, hook.id);
  expect(total).toBe(items.length);
  const byPath = new Map(items.map((request) => [request.path, request]));
  for (const [marker, body] of answered) {
    expect(byPath.get(marker)?.sizeBytes, marker).toBe(body.length);
    expect(await bodyOf(served, byPath.get(marker)?.id ?? ''), marker).toBe(body);
  }
  // The last process forwards what earlier ones could not, so every recorded request reaches the target.
  const reached = (all: readonly Received[]) => new Set(all.map(({ url }) => url));
  for (let count = target.received.length; ![...byPath.keys()].every((path) => reached(target.received).has(path)); ) {
    count = (await target.until(count + 1)).length;
  }
  for (const { url, body } of target.received) {
    if (answered.has(url)) expect(body.toString() === answered.get(url), url).toBe(true);
  }
  expect(await served.end('SIGTERM')).toBe(0);
});

test('after kill -9 during a sync forward, the request is there, and the next start forwards it', async () => {
  const target = await startTarget((res, _received, count) => (count === 1 ? undefined : res.end('at last')));
  const kept = join(directory, 'sync');
  const first = await serve(kept);
  const hook = await addHook(first, { forwardMode: 'sync', forwardUrl: target.url });
  const cutOff = fetch(`${first.ready.webhookBaseUrl}/${hook.key}`, { method: 'POST', body: 'once' }).catch(() => null);
  await target.until(1);
  // The clock moves on, so that answers under way have run out of time at the next start.
  const body = JSON.stringify({ offsetSeconds: 60 });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${first.ready.url}/_mailcap/clock`, { method: 'PUT', headers, body })).status).toBe(200);
  await first.end('SIGKILL');
  expect(await cutOff).toBeNull();
  const second = await serve(kept);
  try {
    await target.until(2);
    expect(target.received.map((received) => received.body.toString())).toEqual(['once', 'once']);
    for (let status = 1; status === 1; ) {
      const { items } = await second.get<{ items: { forwardStatus: number }[] }>(`/v1/webhooks/${hook.id}/requests`);
      status = items[0]?.forwardStatus ?? 0;
      expect([1, 2]).toContain(status);
    }
  } finally {
    expect(await second.end('SIGTERM')).toBe(0);
  }
});

test('3,000 captures by 100 callers at once lose nothing, and mail keeps flowing', { timeout: 180_000 }, async () => {
  const served = await serve(join(directory, 'at-once'));
  try {
    const hook = await addHook(served);
    let mails = 0;
    let over = false;
    const smtp = await Wire.hello(served.ready.smtpPort);
    const flow = (async () => {
      for (; !over; mails++) {
        expect(await smtp.mail('n@inbox.mailcap.example.com', `Subject: mail ${mails}\r\n\r\nhi`)).toMatch(/^250 /);
      }
      smtp.close();
    })();
    // fetch is not used, because its work in this process would slow the mails.
    const caller = async (round: number, from: number) => {
      const paths = Array.from({ length: 30 }, (_, i) => `/hooks/${hook.key}/${round}-${from + i * 100}`);
      const requests = paths.map((path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi`);
      const answered = (text: string) => text.split('HTTP/1.1 200 OK').length > requests.length;
      expect(answered(await wire(served.ready.url, requests, answered))).toBe(true);
    };
    let rounds = 0;
    for (; rounds === 0 || mails < 20; rounds++) {
      const round = rounds;
      await Promise.all(Array.from({ length: 100 }, (_, i) => caller(round, i)));
    }
    over = true;
    await flow;
    const { items, total } = await requestsOf(served, hook.id);
    expect(total).toBe(3_000 * rounds);
    expect(new Set(items.map(({ path }) => path)).size).toBe(3_000 * rounds);
    expect(await served.messages()).toHaveLength(mails);
  } finally {
    expect(await served.end('SIGTERM')).toBe(0);
  }
});

test('100 callers sending 10 MiB at once: all are recorded, and memory is a small part of what they send', async () => {
  // The quotas have room for all of it, so that none has to wait for its place.
  const served = await serve(join(directory, 'large'), '--capture-quota', '8GiB', '--capture-total', '8GiB');
  try {
    const hook = await addHook(served);
    const body = randomBytes(10 << 20);
    const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const answers = await Promise.all(Array.from({ length: 100 }, () => wire(served.ready.url, [head, body])));
    expect(new Set(answers.map((answer) => answer.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 200']));
    const { items } = await requestsOf(served, hook.id);
    expect(items).toHaveLength(100);
    const first = await fetch(`${served.ready.url}/_mailcap/webhooks/requests/${items[0]?.id}/body`);
    const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(Buffer.from(await first.arrayBuffer()))).toBe(hash(body));
    expect(peakMegabytes(served)).toBeLessThan(400);
  } finally {
    expect(await served.end('SIGTERM')).toBe(0);
  }
});
