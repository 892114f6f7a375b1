import { describe, expect } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { putMail } from '../http/support.ts';
import { test } from '../support/mailcap.ts';
import { type Fate, type Seen, startProxy, type TestProxy } from '../support/proxy.ts';

/** Gives each of the first requests one fate. */
function first(...fates: readonly Fate[]): (seen: Seen) => Fate {
  const left = [...fates];
  return () => left.shift() ?? 'passed on';
}

function through(proxy: TestProxy, apiKey: string, options: { timeout?: number } = {}): Client {
  return createClient({ baseUrl: proxy.url, apiKey, ...options });
}

describe('a failed connection', () => {
  test('a GET is tried again', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, first('lost', 'answer lost', 'lost'));
    await through(proxy, mailcap.apiKey).listMailboxes();
    expect(proxy.seen).toHaveLength(4);
  });

  test('ends in an error that names what could not be reached', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, () => 'lost');
    await expect(through(proxy, mailcap.apiKey).listMailboxes()).rejects.toMatchObject({
      name: 'NoServerError',
      code: 'unreachable',
      message: expect.stringContaining(proxy.url),
      hint: expect.stringContaining('npx mailcap dev'),
    });
    expect(proxy.seen).toHaveLength(4);
  });

  test('ends a wait with what failed, and not with a server that may be busy', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url);
    const client = createClient({ baseUrl: proxy.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const mailbox = await client.mailbox();
    proxy.fate = () => 'lost';
    await expect(mailbox.waitForMessage({}, { timeout: 300 })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/ did not reach http.*/),
    });
    proxy.fate = () => 'passed on';
    await mailbox.delete();
  });

  test('a wait continues while its server restarts', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url);
    const client = createClient({ baseUrl: proxy.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const mailbox = await client.mailbox();
    proxy.fate = first('lost', 'lost', 'lost', 'lost', 'lost');
    const waiting = mailbox.waitForMessage({}, { timeout: 20_000 });
    const { id } = await putMail(mailcap, mailbox.id, { To: mailbox.address });
    expect(await waiting).toMatchObject({ id });
  });

  test('a POST of the cloud API is tried again with the same Idempotency-Key and runs once', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, first('answer lost'));
    const client = createClient({ baseUrl: proxy.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const made = await client.createMailbox({ name: 'made once' });
    const [one, again] = proxy.seen.map(({ headers }) => headers['idempotency-key']);
    expect(one).toMatch(/\S{16}/);
    expect(again).toBe(one);
    const named = (await client.listMailboxes()).filter(({ name }) => name === 'made once');
    expect(named).toEqual([made]);
    await client.createMailbox({ name: 'made anew' });
    expect(proxy.seen.at(-1)?.headers['idempotency-key']).not.toBe(one);
  });

  test('a POST of the local API, which would run twice, is not', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url);
    const client = through(proxy, mailcap.apiKey);
    await client.local.getHealth();
    proxy.fate = first('answer lost');
    await expect(client.local.createWorkspace({ name: 'x' })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/local\.createWorkspace was sent to .*, and its answer was lost/),
      hint: expect.stringContaining('The server may have run the call'),
    });
  });

  test('a DELETE that ran before its answer was lost has succeeded', async ({ mailcap, mailbox }) => {
    await using proxy = await startProxy(mailcap.url);
    const client = through(proxy, mailcap.apiKey);
    await client.local.getHealth();
    proxy.fate = first('answer lost');
    await client.local.deleteMailbox(mailbox.id);
    await expect(client.local.deleteMailbox(mailbox.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('429', () => {
  const limited: Fate = { status: 429, headers: { 'Retry-After': '1' }, body: '{"error":"rate_limited"}' };

  test('is waited out for the time in Retry-After', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, first(limited));
    const started = performance.now();
    await through(proxy, mailcap.apiKey).listMailboxes();
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
    expect(proxy.seen).toHaveLength(2);
  });

  const date = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toUTCString();
  test.for<readonly [string, Fate, number]>([
    ['no Retry-After', { status: 429, body: '{"error":"rate_limited"}' }, 1_000],
    ['no Retry-After, by a proxy', { status: 429, body: '<html>' }, 1_000],
    ['an HTTP date', { ...limited, headers: { Date: date(0), 'Retry-After': date(2_000) } }, 2_000],
    ['one that is neither', { ...limited, headers: { 'Retry-After': 'soon' } }, 1_000],
  ])('is waited out with %s', async ([, fate, atLeastMs], { mailcap }) => {
    await using proxy = await startProxy(mailcap.url, first(fate));
    const started = performance.now();
    await through(proxy, mailcap.apiKey).listMailboxes();
    // Timers may be a millisecond early.
    expect(performance.now() - started).toBeGreaterThanOrEqual(atLeastMs - 5);
    expect(proxy.seen).toHaveLength(2);
  });

  test('is an error at once if the wait would be longer than the timeout', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, () => limited);
    const client = through(proxy, mailcap.apiKey, { timeout: 900 });
    await expect(client.listMailboxes()).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
    expect(proxy.seen).toHaveLength(1);
  });

  test('without a Retry-After, as of a daily limit, is an error at once', async ({ mailcap }) => {
    const daily: Fate = { status: 429, body: '{"error":"daily_outbound_limit_reached","count":5,"limit":5}' };
    await using proxy = await startProxy(mailcap.url, () => daily);
    const error = { code: 'daily_outbound_limit_reached', extra: { count: 5, limit: 5 } };
    await expect(through(proxy, mailcap.apiKey).listMailboxes()).rejects.toMatchObject(error);
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('a call ends', () => {
  test('when its timeout is over', async ({ mailcap, mailbox }) => {
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, timeout: 50 });
    await expect(client.awaitMessage(mailbox.id, {}, { timeout: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
      code: 'timed_out',
      message: expect.stringContaining('awaitMessage got no answer within 50 ms'),
    });
  });

  test('when a signal aborts, with its reason: of the call and of the client', async ({ mailcap, mailbox }) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, signal: controller.signal });
    await expect(client.listMailboxes({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const waiting = client.awaitMessage(mailbox.id);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(client.listMailboxes()).rejects.toBe(reason);
  });

  test('an await may take its own timeout, whatever the timeout of the client', async ({ mailcap, mailbox }) => {
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, timeout: 500 });
    expect(await client.awaitMessage(mailbox.id, { timeout: 1 })).toBeNull();
  });
});
