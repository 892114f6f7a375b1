import Stripe from 'stripe';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { ServerDelivery } from '../../src/client/connection/local-resources.ts';
import { createClient, OptionError, TimeoutError } from '../../src/client/index.ts';
import { startServer, test } from '../support/mailcap.ts';
import { addHook, startTarget } from './hooks.ts';
import { json, outcome } from './support.ts';

const SECRET = 'whsec_hidden';
const STRIPE = { event: 'checkout.session.completed', secret: SECRET };

test('a sample event is sent with changed fields and a signature, and its answer is returned', async ({ mailcap }) => {
  const app = await startTarget((response) => response.writeHead(202).end('thanks'));
  const set = { 'data.object.amount_total': 999, 'data.object.metadata.note': '"},"admin":true' };
  const sent = { url: `${app.url}?a=1`, ...STRIPE, set, headers: { 'X-Mine': 'yes' } };
  const delivery = await json<ServerDelivery>(mailcap.api('/_mailcap/webhook-deliveries', { json: sent }));
  expect(delivery).toMatchObject({
    state: 'delivered',
    tries: [{ number: 1, status: 202, error: null, answer: 'thanks', nextAt: null }],
  });
  expect(JSON.stringify(delivery)).not.toContain(SECRET);
  const [{ url, headers, body } = expect.fail()] = app.received;
  expect([url, headers['x-mine']]).toEqual(['/?a=1', 'yes']);
  const event = new Stripe('sk_test').webhooks.constructEvent(body, headers['stripe-signature'] ?? '', SECRET);
  expect(event).toMatchObject({
    type: 'checkout.session.completed',
    data: { object: { amount_total: 999, metadata: { order_id: '6735', note: '"},"admin":true' } } },
  });
  expect(event.data.object).not.toHaveProperty('admin');
});

test('the pauses between tries follow the clock, and signatures contain real time', async ({ mailcap }) => {
  const app = await startTarget((response, _one, number) => response.writeHead(number < 3 ? 500 : 200).end());
  const sending = json<ServerDelivery>(
    mailcap.api('/_mailcap/webhook-deliveries', { json: { url: app.url, ...STRIPE, retries: true } }),
  );
  await expect.poll(() => app.received.length).toBe(1);
  for (const [tries, offsetSeconds] of [
    [2, 300],
    [3, 300 + 1_800],
  ] as const) {
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds } });
    await expect.poll(() => app.received.length).toBe(tries);
  }
  const { state, tries } = await sending;
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: null });
  expect([state, tries.map(({ status }) => status)]).toEqual(['delivered', [500, 500, 200]]);
  const times = tries.map(({ at }) => Date.parse(at));
  expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2_100_000);
  const { webhooks } = new Stripe('sk_test');
  for (const { body, headers } of app.received)
    webhooks.constructEvent(body, headers['stripe-signature'] ?? '', SECRET);
  expect(new Set(app.received.map(({ body }) => body.toString())).size).toBe(1);
});

test('a delivery that waits when its time is over is unfinished; GitHub never tries again', async ({ mailcap }) => {
  const app = await startTarget((response) => response.writeHead(500).end());
  const slow = { url: app.url, ...STRIPE, retries: 3, timeout: 0.1 };
  const unfinished = await json<ServerDelivery>(mailcap.api('/_mailcap/webhook-deliveries', { json: slow }));
  expect(unfinished).toMatchObject({ state: 'unfinished', tries: [{ status: 500, nextAt: expect.any(String) }] });
  const push = { url: app.url, event: 'push', secret: 'secret', retries: true };
  const failed = await json<ServerDelivery>(mailcap.api('/_mailcap/webhook-deliveries', { json: push }));
  expect(failed).toMatchObject({ state: 'failed', tries: [{ nextAt: null }] });
  expect(app.received).toHaveLength(2);
});

test('a caller who hangs up ends the delivery', async ({ mailcap }) => {
  const app = await startTarget((response) => response.writeHead(500).end());
  const hangUp = new AbortController();
  const event = { event: 'contact.created', secret: 'whsec_c2VjcmV0' };
  const sending = fetch(`${mailcap.url}/_mailcap/webhook-deliveries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: app.url, ...event, retries: 3 }),
    signal: hangUp.signal,
  });
  await expect.poll(() => app.received.length).toBe(1);
  hangUp.abort();
  await expect(sending).rejects.toThrow();
  const held = json<ServerDelivery>(
    mailcap.api('/_mailcap/webhook-deliveries', { json: { url: app.url, ...event, retries: 1 } }),
  );
  await expect.poll(() => app.received.length).toBe(2);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 60 } });
  expect((await held).tries).toHaveLength(2);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: null });
  expect(app.received).toHaveLength(3);
});

test('a redirect of a hostile target is not followed, endless and slow answers are cut, and a break is reported', async ({
  mailcap,
}) => {
  const away = await startTarget((response) => response.end());
  const redirect = await startTarget((response) => response.writeHead(302, { location: away.url }).end());
  let written = 0;
  const flood = await startTarget((response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
    };
    response.on('drain', more);
    more();
  });
  const drop = await startTarget((response) => response.destroy());
  // Slack waits three seconds.
  const silent = await startTarget(() => {});
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey });
  const slack = { event: 'message', secret: 'secret' };
  const byServer = async (url: string) => (await client.local.sendWebhook({ url, ...slack })).tries[0];
  const byClient = async (url: string) => (await client.sendWebhook(url, slack)).tries[0];
  const drip = await startTarget((response) => {
    const more = () => {
      if (response.write('.')) setTimeout(more, 50);
    };
    response.once('close', () => Object.assign(response, { write: () => false }));
    more();
  });
  for (const send of [byServer, byClient]) {
    const tries = await Promise.all([redirect, flood, drop, silent, drip].map(({ url }) => send(url)));
    expect(tries).toMatchObject([
      { status: 302 },
      { status: 200 },
      { status: null, error: expect.stringMatching(/./) },
      { status: null, error: 'no answer within 3 seconds' },
      { status: 200, answer: expect.stringMatching(/^\.+$/) },
    ]);
  }
  expect(away.received).toEqual([]);
  expect(written).toBeLessThan(50_000_000);
});

test.each([
  [{}, 'url is missing.'],
  [{ url: 'file:///etc/passwd' }, 'is not an http or https URL'],
  [{ url: 'http://a:b@127.0.0.1/' }, 'holds a user name or a password'],
  [{ url: 'http://127.0.0.1:1/' }, 'there is nothing to send'],
  [{ url: 'http://127.0.0.1:1/', event: 'nope' }, 'there is no sample event "nope"'],
  [{ url: 'http://127.0.0.1:1/', body: '{}' }, 'name the scheme'],
  [{ url: 'http://127.0.0.1:1/', body: '{}', scheme: 'md5' }, 'there is no scheme "md5"'],
  [{ url: 'http://127.0.0.1:1/', event: 'push' }, 'a signature of GitHub needs the secret'],
  [{ url: 'http://127.0.0.1:1/', ...STRIPE, set: { 'a.b': 1 } }, 'there is no field "a"'],
  [{ url: 'http://127.0.0.1:1/', ...STRIPE, headers: { Host: 'evil' } }, 'is written by mailcap itself'],
  [{ url: 'http://127.0.0.1:1/', ...STRIPE, headers: { 'X-A': 'b\r\nc: d' } }, 'is not one line of ASCII'],
  [{ url: 'http://127.0.0.1:1/', ...STRIPE, retries: -1 }, 'retries is a whole number'],
  [{ url: 'http://127.0.0.1:1/', ...STRIPE, timeout: 601 }, 'timeout is no number of seconds'],
  [{ url: 'http://127.0.0.1:1/', scheme: { header: 'X', encoding: 'rot13' }, body: '' }, 'encoding is hex or base64'],
])('%j is 400 invalid_delivery', async (given, sentence) => {
  const server = await shared();
  const { status, body } = await outcome(server.api('/_mailcap/webhook-deliveries', { json: given }));
  expect([status, body]).toEqual([400, { error: 'invalid_delivery', message: expect.stringContaining(sentence) }]);
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

test('a server that others can reach sends to no private address', async () => {
  const server = await startServer({ host: '0.0.0.0', adminToken: 'a-token-of-the-admin' });
  onTestFinished(() => server.close());
  const app = await startTarget((response) => response.end());
  const local = (path: string, body: unknown) =>
    json<{ tries?: unknown; requests?: unknown }>(
      server.api(path, { json: body, headers: { authorization: 'Bearer a-token-of-the-admin' } }),
    );
  const refused = { status: null, error: expect.stringContaining('a loopback, private or otherwise special address') };
  const sent = await local('/_mailcap/webhook-deliveries', { url: app.url, ...STRIPE, retries: true });
  expect(sent.tries).toMatchObject([refused]);
  const recording = { mailcapRecording: 1, requests: [{ method: 'GET', path: '/' }] };
  const played = await local('/_mailcap/webhook-playbacks', { url: app.url, recording });
  expect(played.requests).toMatchObject([refused]);
  expect(app.received).toEqual([]);
});

test('captured requests are recorded to the byte, and played with the old or with new signatures', async ({
  mailcap,
}) => {
  const hook = await addHook(mailcap);
  const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0x80]);
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': 'sha256=00', authorization: 'Bearer x' };
  await fetch(`${hook.url}/a%20b?x=1&token=hidden`, { method: 'PUT', body: bytes });
  await fetch(hook.url, { method: 'POST', body: '{"paid":true}', headers });
  const recording = await json<Record<string, unknown>>(mailcap.api(`/_mailcap/webhooks/${hook.id}/recording`));
  expect(recording).toMatchObject({
    mailcapRecording: 1,
    requests: [
      { afterMs: 0, method: 'PUT', path: '/a%20b', query: 'x=1&token=left-out', base64: ['/wANCoA='] },
      { method: 'POST', path: '/', query: null, json: { paid: true } },
    ],
  });
  expect(JSON.stringify(recording)).not.toMatch(/Bearer|hidden/);
  const newest = await json<{ requests: unknown[] }>(mailcap.api(`/_mailcap/webhooks/${hook.id}/recording?limit=1`));
  expect(newest.requests).toHaveLength(1);

  const app = await startTarget((response, _one, number) => response.writeHead(number === 1 ? 404 : 200).end());
  const play = (more: object) =>
    json(mailcap.api('/_mailcap/webhook-playbacks', { json: { url: app.url, recording, ...more } }));
  expect(await play({})).toMatchObject({
    state: 'played',
    requests: [
      { number: 1, method: 'PUT', path: '/a%20b', status: 404, error: null, leftOut: ['?token'] },
      { number: 2, status: 200, leftOut: ['authorization'] },
    ],
  });
  expect(app.received[0]).toMatchObject({ method: 'PUT', url: '/a%20b?x=1&token=left-out', body: bytes });
  expect(app.received[1]?.headers['x-hub-signature-256']).toBe('sha256=00');
  await play({ secret: 'secret', headers: { Authorization: 'Bearer mine' } });
  const again = app.received[3] ?? expect.fail();
  const { verify } = await import('@octokit/webhooks-methods');
  expect(await verify('secret', again.body.toString(), String(again.headers['x-hub-signature-256']))).toBe(true);
  expect(again.headers.authorization).toBe('Bearer mine');

  const wrong = { mailcapRecording: 1, requests: [{ method: 'GET /\r\n', path: '/' }] };
  const refused = await outcome(
    mailcap.api('/_mailcap/webhook-playbacks', { json: { url: app.url, recording: wrong } }),
  );
  expect(refused).toEqual({
    status: 400,
    body: { error: 'invalid_recording', message: 'request 1: method is not an HTTP method.' },
  });
});

test('a wait for a time of the clock ends when the time passes, when the clock is set, or at its timeout', async ({
  mailcap,
}) => {
  const { now } = await json<{ now: string }>(mailcap.api('/_mailcap/clock'));
  const at = (seconds: number) => encodeURIComponent(new Date(Date.parse(now) + seconds * 1_000).toISOString());
  expect((await mailcap.api(`/_mailcap/clock/await?until=${at(0)}`)).status).toBe(200);
  expect((await mailcap.api(`/_mailcap/clock/await?until=${at(3_600)}&timeout=1`)).status).toBe(204);
  const waiting = mailcap.api(`/_mailcap/clock/await?until=${at(3_600)}`);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_601 } });
  expect((await waiting).status).toBe(200);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: null });
  expect(await outcome(mailcap.api('/_mailcap/clock/await?until=soon'))).toMatchObject({
    status: 400,
    body: { error: 'invalid_until' },
  });
});

test("the client sends from the test's process, and the test jumps to each next try", async ({ mailcap }) => {
  const app = await startTarget((response, _one, number) => response.writeHead(number < 4 ? 503 : 204).end());
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey });
  const numbers: number[] = [];
  const delivery = await client.sendWebhook(app.url, {
    event: 'app_mention',
    secret: 'secret',
    retries: true,
    set: { 'event.text': 'hello' },
    onTry: async ({ number, nextAt }) => {
      numbers.push(number);
      if (nextAt !== null) await client.local.setClock({ now: nextAt.toISOString() });
    },
  });
  await client.local.setClock(null);
  expect(delivery).toMatchObject({ state: 'delivered', tries: [{}, {}, {}, { status: 204 }] });
  expect(numbers).toEqual([1, 2, 3, 4]);
  expect(app.received.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
  expect(app.received[3]?.headers['x-slack-retry-reason']).toBe('http_error');
  expect(Buffer.from(delivery.body).equals(app.received[3]?.body ?? Buffer.of())).toBe(true);
});

test('the client needs no server; the error of the timeout has the time of the next try', async () => {
  const app = await startTarget((response) => response.writeHead(500).end());
  const alone = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'svc_none' });
  const custom = { scheme: { header: 'X-Sig' }, secret: 'secret', body: Uint8Array.of(0xff, 0) };
  expect(await alone.sendWebhook(app.url, custom)).toMatchObject({ state: 'failed', tries: [{ status: 500 }] });
  expect(app.received[0]?.body).toEqual(Buffer.of(0xff, 0));
  const server = await shared();
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const late = client.sendWebhook(app.url, { ...STRIPE, retries: 1, timeout: 3_000 });
  await expect(late).rejects.toThrow(TimeoutError);
  await expect(late).rejects.toThrow(
    /^Try 1 got 500, and the next one is due at 2\S+Z, but the timeout of sendWebhook is 3000 ms\.\n.*setClock/,
  );
  await expect(client.sendWebhook(app.url, { event: 'nope' })).rejects.toThrow(OptionError);
  await expect(client.sendWebhook(app.url, { ...STRIPE, retires: 1 } as never)).rejects.toThrow('has no "retires"');
});

test('an event that is sent to a webhook is verified by the client', async ({ mailcap }) => {
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
  const webhook = await client.webhook();
  const secret = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0';
  for (const { name, sender } of await client.local.listSamples()) {
    const { state } = await client.sendWebhook(`${webhook.url}/${name}`, { event: name, secret });
    const request = await webhook.waitForRequest({ path: `/${name}` });
    const scheme = sender === 'mailcap' ? 'standard-webhooks' : sender;
    expect([state, request.verify(scheme, secret)], name).toEqual(['delivered', { ok: true }]);
  }
});

let one: ReturnType<typeof startServer> | null = null;

/** Returns a server for tests that change nothing. */
function shared() {
  one ??= startServer();
  return one;
}

afterAll(async () => (await one)?.close());
