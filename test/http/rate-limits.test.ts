import { expect, vi } from 'vitest';
import { createToolClient } from '../../src/client/client.ts';
import { startServer, test } from '../support/mailcap.ts';
import { addKey, addWorkspace, outcome } from './support.ts';

const LIMITED = { status: 429, body: { error: 'rate_limited' } };

test('100 requests per minute per key, then 429 with Retry-After; every answer says what is left', async ({
  mailcap,
}) => {
  const { headers } = await addWorkspace(mailcap, { limits: 'cloud' });
  const call = (path = '/v1/mailboxes') => mailcap.api(path, { headers });
  for (let i = 1; i <= 100; i++) {
    // Every request counts, also one that fails.
    const response = await call(i % 2 === 0 ? '/v1/nowhere' : '/v1/mailboxes');
    expect(response.headers.get('ratelimit-limit')).toBe('100');
    expect(response.headers.get('ratelimit-policy')).toBe('100;w=60;comment="key", 1000;w=60;comment="workspace"');
    expect(response.headers.get('ratelimit-remaining')).toBe(String(100 - i));
    expect(Number(response.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('retry-after')).toBeNull();
  }
  const over = await call();
  const retryAfter = Number(over.headers.get('retry-after'));
  expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60).toBe(true);
  expect(over.headers.get('ratelimit-remaining')).toBe('0');
  expect(await outcome(over)).toEqual(LIMITED);
  // The window of the rate limit follows the server's clock.
  mailcap.ctx.clock.setOffsetMs(retryAfter * 1_000);
  expect((await call()).status).toBe(200);
  mailcap.ctx.clock.setOffsetMs(0);
});

test('requests of the command line and the inboxes are not counted, and a web page can not imitate them', async ({
  mailcap,
}) => {
  const { headers } = await addWorkspace(mailcap, { limits: 'cloud' });
  const tool = { ...headers, 'mailcap-tool': 'local' };
  for (let i = 0; i < 130; i++) {
    const answer = await mailcap.api('/v1/mailboxes', { headers: tool });
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
  }
  expect((await mailcap.api('/v1/mailboxes', { headers })).headers.get('ratelimit-remaining')).toBe('99');
  const apiKey = String(headers.authorization).slice('Bearer '.length);
  const client = createToolClient({ baseUrl: mailcap.url, apiKey }, { isOwn: true });
  for (let i = 0; i < 110; i++) await client.listMailboxes();
  const page = await mailcap.api('/v1/mailboxes', { headers: { ...tool, origin: 'https://evil.example' } });
  expect([page.status, page.headers.get('ratelimit-remaining')]).toEqual([200, '98']);
});

test('off loopback the admin token proves it: without it every request counts, and a wrong one is 401', async () => {
  await using server = await startServer({
    adminToken: 'a-token-for-this-test-only',
    limits: 'cloud',
    host: '0.0.0.0',
  });
  const call = (tool: string) =>
    fetch(`${server.url}/v1/mailboxes`, {
      headers: { authorization: `Bearer ${server.apiKey}`, 'mailcap-tool': tool },
    });
  expect((await call('a-token-for-this-test-only')).headers.get('ratelimit-remaining')).toBeNull();
  expect((await call('local')).headers.get('ratelimit-remaining')).toBe('99');
  expect((await call('another')).status).toBe(401);
});

test('the first 429 of a server names the option that turns the limits off, and the next do not', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  await using server = await startServer({ limits: 'cloud', logLevel: 'warn' });
  const call = () => fetch(`${server.url}/v1/mailboxes`, { headers: { authorization: `Bearer ${server.apiKey}` } });
  for (let i = 0; i < 105; i++) await call();
  write.mockRestore();
  // With two servers on one store, each may tell it.
  const told = lines.filter((line) => line.includes('--limits off'));
  expect(told.length).toBe(new Set(told).size);
  expect([1, 2]).toContain(told.length);
});

test('1,000 requests per minute per workspace, over all its keys', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap, { limits: 'cloud' });
  const keys = await Promise.all(Array.from({ length: 10 }, () => addKey(mailcap, id)));
  for (const key of keys) {
    const own = { authorization: `Bearer ${key}` };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => mailcap.api('/v1/mailboxes', { headers: own })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  const over = await mailcap.api('/v1/mailboxes', { headers });
  expect(over.headers.get('ratelimit-limit')).toBe('1000');
  expect(await outcome(over)).toEqual(LIMITED);
});

test('401s do not count, and each key has its own count', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap, { limits: 'cloud' });
  for (let i = 0; i < 150; i++)
    await mailcap.api('/v1/mailboxes', { headers: { authorization: 'Bearer svc_live_no' } });
  const first = await mailcap.api('/v1/mailboxes', { headers });
  expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '99']);
  const other = { authorization: `Bearer ${await addKey(mailcap, id)}` };
  expect((await mailcap.api('/v1/mailboxes', { headers: other })).headers.get('ratelimit-remaining')).toBe('99');
});

test('with limits off nothing is refused, no answer has the headers of limits, and the counters still count', async ({
  mailcap,
}) => {
  const { id, headers } = await addWorkspace(mailcap, { limits: 'off' });
  let last: Response | undefined;
  for (let i = 0; i < 105; i++) last = await mailcap.api('/v1/mailboxes', { headers });
  expect(last?.status).toBe(200);
  expect([...(last?.headers.keys() ?? [])].filter((name) => /^(ratelimit|retry)/.test(name))).toEqual([]);
  await mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: { limits: 'cloud' } });
  expect((await mailcap.api('/v1/mailboxes', { headers })).status).toBe(429);
});
