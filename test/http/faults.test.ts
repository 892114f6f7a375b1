import { describe, expect, vi } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { test as base, startServer, type TestServer } from '../support/mailcap.ts';
import { json, mail, outcome, send } from './support.ts';

const LATER = '451 4.7.1 try later';
const FOREVER_MS = 600_000;

/** A test with the server of the file, which has no rules and nothing of an earlier test. */
const test = base.extend('server', async ({ mailcap }) => {
  await mailcap.reset();
  return mailcap;
});

const set = (server: TestServer, ...rules: unknown[]) => server.api('/_mailcap/faults', { method: 'PUT', json: rules });

/** Sends a request without `api`, which accepts only answers that the OpenAPI document allows. */
function get(server: TestServer, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${server.apiKey}`, ...init.headers } });
}

describe('GET and PUT /_mailcap/faults', () => {
  test('return the rules in their order, how often each was applied, and how often it will still apply', async ({
    server,
  }) => {
    expect(await json(server.api('/_mailcap/faults'))).toEqual([]);
    const slow = { stage: 'rcpt', match: { to: '*@Slow.*' }, action: { reply: LATER, delayMs: 5 }, times: 2 };
    const dropped = { stage: 'http', match: { path: '/v1/x', mailboxId: server.mailboxId }, action: { drop: true } };
    const odd = { stage: 'end', match: {}, action: { delayMs: 0 }, probability: 0.5 };
    const put = await outcome(set(server, slow, dropped, odd));
    const expected = [
      { ...slow, probability: null, applied: 0, remaining: 2 },
      { ...dropped, times: null, probability: null, applied: 0, remaining: null },
      { ...odd, times: null, applied: 0, remaining: null },
    ].map((rule) => ({ id: expect.stringMatching(/^[0-9A-Z]{26}$/), ...rule }));
    expect(put).toEqual({ status: 200, body: expected });
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say('RCPT TO:<a@slow.test>')).toBe(LATER);
    wire.close();
    expect(await json(server.api('/_mailcap/faults'))).toEqual([
      { ...expected[0], applied: 1, remaining: 1 },
      ...expected.slice(1),
    ]);
  });

  test('the answer of GET may be PUT again: the rules are the same, with new counts', async ({ server }) => {
    await set(
      server,
      { stage: 'http', action: { reply: '503 try later' }, times: 2 },
      { stage: 'http', action: { reply: { status: 429, body: { error: 'x' }, headers: { 'Retry-After': '1' } } } },
      { stage: 'mail', mailboxId: server.mailboxId, action: { reply: '451' } },
    );
    expect((await get(server, '/v1/mailboxes')).status).toBe(503);
    const told = await json<{ applied: number; remaining: number | null }[]>(server.api('/_mailcap/faults'));
    expect(told.map(({ applied, remaining }) => [applied, remaining])).toEqual([
      [1, 1],
      [0, null],
      [0, null],
    ]);
    const [first, ...others] = told;
    const id = expect.any(String);
    expect(await json(set(server, ...told))).toEqual([
      { ...first, id, applied: 0, remaining: 2 },
      ...others.map((other) => ({ ...other, id })),
    ]);
  });

  test('an invalid rule is 400 invalid_faults with its index, and the rules do not change', async ({ server }) => {
    await set(server, { stage: 'mail', action: { reply: LATER } });
    const wrong = set(server, { stage: 'mail', action: { drop: true } }, { stage: 'mail', action: {} });
    expect(await outcome(wrong)).toEqual({
      status: 400,
      body: { error: 'invalid_faults', index: 1, message: 'action has no reply, drop or delayMs.' },
    });
    expect(await json(server.api('/_mailcap/faults'))).toMatchObject([{ action: { reply: LATER } }]);
  });

  test('a rule for a mailbox that does not exist is 400 invalid_faults, because it never applies', async ({
    server,
  }) => {
    const mailboxId = '01JD5Z3V8W0123456789ABCDEF';
    const message = `There is no mailbox ${mailboxId}.`;
    for (const bound of [{ mailboxId }, { match: { mailboxId: mailboxId.toLowerCase() } }]) {
      const rule = { stage: 'rcpt', action: { reply: LATER } };
      const wrong = set(server, { ...rule, mailboxId: server.mailboxId }, { ...rule, ...bound });
      expect(await outcome(wrong)).toEqual({ status: 400, body: { error: 'invalid_faults', index: 1, message } });
    }
    expect(await json(server.api('/_mailcap/faults'))).toEqual([]);
  });

  test('1,000 rules are taken, one more is 400, and a body over 1 MiB is 413', async ({ server }) => {
    const rules = Array.from({ length: 1_000 }, () => ({ stage: 'mail', action: { reply: LATER } }));
    expect((await set(server, ...rules)).status).toBe(200);
    expect(await outcome(set(server, ...rules, rules[0]))).toEqual({
      status: 400,
      body: { error: 'invalid_faults', index: 1_000, message: 'There are more than 1000 rules.' },
    });
    const large = { stage: 'http', action: { reply: { status: 500, body: 'x'.repeat(1024 * 1024) } } };
    expect(await outcome(set(server, large))).toEqual({ status: 413, body: { error: 'payload_too_large' } });
  });

  test.for(['{}', '"451"', 'null', '['])('a body of %s is 400 invalid_body', async (body, { server }) => {
    const headers = { 'content-type': 'application/json' };
    expect(await outcome(server.api('/_mailcap/faults', { method: 'PUT', headers, body }))).toEqual({
      status: 400,
      body: { error: 'invalid_body' },
    });
  });

  test('an empty list removes every rule, and so does a reset', async ({ server }) => {
    for (const takeBack of [() => set(server), () => server.api('/_mailcap/reset', { method: 'POST' })]) {
      await set(server, { stage: 'connect', action: { drop: true } }, { stage: 'http', action: { reply: '503' } });
      expect((await get(server, '/v1/mailboxes')).status).toBe(503);
      await takeBack();
      expect(await json(server.api('/_mailcap/faults'))).toEqual([]);
      expect((await get(server, '/v1/mailboxes')).status).toBe(200);
      (await Wire.hello(server.smtp.port)).close();
    }
  });
});

describe('POST /_mailcap/faults and DELETE /_mailcap/faults/{id}', () => {
  const add = (server: TestServer, rule: unknown) => server.api('/_mailcap/faults', { method: 'POST', json: rule });
  const remove = (server: TestServer, id: string) => server.api(`/_mailcap/faults/${id}`, { method: 'DELETE' });
  const list = (server: TestServer) => json<{ id: string }[]>(server.api('/_mailcap/faults'));

  test('a rule is added after the others and removed alone: the counts of the others stay', async ({ server }) => {
    const made: { id: string }[] = [];
    for (const status of [501, 502, 503]) {
      const rule = { stage: 'http', action: { reply: { status, body: 'no', headers: {} } }, times: 2 };
      const answer = await outcome(add(server, rule));
      expect(answer).toMatchObject({ status: 201, body: { ...rule, applied: 0, remaining: 2 } });
      made.push(answer.body as { id: string });
    }
    const [first, second, third] = made.map(({ id }) => id);
    expect((await get(server, '/v1/mailboxes')).status).toBe(501);
    expect(await outcome(remove(server, String(second)))).toMatchObject({
      status: 200,
      body: { id: second, applied: 0 },
    });
    expect(await list(server)).toMatchObject([
      { id: first, applied: 1, remaining: 1 },
      { id: third, applied: 0, remaining: 2 },
    ]);
    expect((await get(server, '/v1/mailboxes')).status).toBe(501);
    expect(await outcome(remove(server, String(first).toLowerCase()))).toMatchObject({ body: { applied: 2 } });
    expect((await get(server, '/v1/mailboxes')).status).toBe(503);
    for (const gone of [second, first, 'nothing'])
      expect(await outcome(remove(server, String(gone)))).toEqual({ status: 404, body: { error: 'not_found' } });
    expect(await list(server)).toMatchObject([{ id: third, applied: 1 }]);
  });

  test('100 tests that add and remove their rules at the same time do not touch the rule of another test', async ({
    server,
  }) => {
    const { id } = await json<{ id: string }>(add(server, { stage: 'http', action: { reply: '503 mine' } }));
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const own = await json<{ id: string }>(add(server, { stage: 'connect', action: { drop: true } }));
        expect((await remove(server, own.id)).status).toBe(200);
      }),
    );
    expect(await list(server)).toMatchObject([{ id }]);
    expect((await get(server, '/v1/mailboxes')).status).toBe(503);
    (await Wire.hello(server.smtp.port)).close();
  });

  test('a wrong rule, a rule for an unknown mailbox and one rule too many are 400, and no rule changes', async ({
    server,
  }) => {
    await set(server, ...Array.from({ length: 1_000 }, () => ({ stage: 'mail', action: { reply: LATER } })));
    for (const [rule, index, message] of [
      [{ stage: 'mail', action: {} }, 0, 'action has no reply, drop or delayMs.'],
      [
        { stage: 'rcpt', mailboxId: '01JD5Z3V8W0123456789ABCDEF', action: { drop: true } },
        0,
        'There is no mailbox 01JD5Z3V8W0123456789ABCDEF.',
      ],
      [{ stage: 'mail', action: { drop: true } }, 1_000, 'There are more than 1000 rules.'],
    ] as const)
      expect(await outcome(add(server, rule))).toEqual({
        status: 400,
        body: { error: 'invalid_faults', index, message },
      });
    expect(await outcome(add(server, []))).toEqual({ status: 400, body: { error: 'invalid_body' } });
    expect(await list(server)).toHaveLength(1_000);
  });
});

describe('a rule of http', () => {
  test('answers with its status, headers and body, as often as times says', async ({ server }) => {
    const reply = { status: 429, body: { error: 'rate_limited' }, headers: { 'Retry-After': '1' } };
    await set(server, { stage: 'http', action: { reply }, times: 2 });
    for (let n = 0; n < 2; n++) {
      const answer = await get(server, '/v1/mailboxes');
      expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([429, '1', reply.body]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-request-id')).not.toBeNull();
    }
    expect((await get(server, '/v1/mailboxes')).status).toBe(200);
  });

  test('comes before the key, the rate limit and the work: a POST that it refuses has no effect', async ({
    server,
  }) => {
    await set(server, { stage: 'http', match: { method: 'post' }, action: { reply: '503 try later' }, times: 1 });
    const create = () =>
      get(server, `/v1/workspaces/${server.workspaceId}/mailboxes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: '{"name":"Retried"}',
      });
    const refused = await create();
    expect([refused.status, await refused.text(), refused.headers.get('ratelimit-limit')]).toEqual([
      503,
      'try later',
      null,
    ]);
    const taken = await create();
    expect([taken.status, taken.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  test.for<[object, string, boolean]>([
    [{ path: '/v1/mailboxes' }, '/v1/mailboxes?limit=1', true],
    [{ path: '/v1/mailboxes' }, '/v1/mailboxes/x/messages', false],
    [{ path: '/v1/*/messages' }, '/v1/mailboxes/x/messages', true],
    [{ path: '*', method: 'DELETE' }, '/v1/mailboxes', false],
    [{ clientAddress: '127.*' }, '/v1/nowhere', true],
    [{ path: '/hooks/*' }, '/hooks/some-key/sub/path', true],
    [{ path: '/hooks/*' }, '/v1/mailboxes', false],
    [{}, '/_mailcap/info', false],
    [{}, '/_mailcap/nowhere', false],
    [{}, '/docs', false],
    [{}, '/', false],
    [{}, '/v1x', false],
  ])('with the match %j meets %s: %s', async ([match, path, met], { server }) => {
    await set(server, { stage: 'http', match, action: { reply: '418 teapot' } });
    expect((await get(server, path)).status === 418).toBe(met);
  });

  test('that is bound to a mailbox applies only to requests about that mailbox', async ({ server }) => {
    const [flaky, steady] = [await server.addMailbox(), await server.addMailbox()];
    await set(server, { stage: 'http', mailboxId: flaky.id, action: { reply: '503' } });
    const paths = [flaky.id, flaky.id.toLowerCase(), steady.id].map((id) => `/v1/mailboxes/${id}/messages`);
    const answers = await Promise.all([...paths, '/v1/mailboxes'].map((path) => get(server, path)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200, 200]);
  });

  test('drops the connection without an answer', async ({ server }) => {
    await set(server, { stage: 'http', action: { drop: true }, times: 1 });
    await expect(send(server, { path: '/v1/mailboxes' })).rejects.toThrow(/hang up|ECONNRESET/);
    expect((await get(server, '/v1/mailboxes')).status).toBe(200);
  });

  test('delays the usual answer, and no other request', async ({ server }) => {
    await set(server, { stage: 'http', match: { path: '/v1/mailboxes' }, action: { delayMs: 150 } });
    const started = performance.now();
    const held = get(server, '/v1/mailboxes');
    expect((await get(server, '/v1/nowhere')).status).toBe(404);
    expect(await json<unknown[]>(held)).toHaveLength(1);
    expect(performance.now() - started).toBeGreaterThanOrEqual(145);
  });

  test('that delays does not hold up a close, even if its client left', async () => {
    const server = await startServer();
    await set(server, { stage: 'http', action: { delayMs: FOREVER_MS } });
    const applied = async () => (await server.ctx.faults.list())[0]?.applied;
    const left = new AbortController();
    const leaving = get(server, '/v1/mailboxes', { signal: left.signal });
    const held = get(server, '/v1/mailboxes');
    await vi.waitFor(async () => expect(await applied()).toBe(2), { timeout: 15_000 });
    left.abort();
    await expect(leaving).rejects.toThrow(/abort/);
    const closing = performance.now();
    await server.close();
    expect(performance.now() - closing).toBeLessThan(8_000);
    expect((await held).status).toBe(200);
  });

  test('refuses a large body without reading it, and the connection goes on', async ({ server }) => {
    await set(server, { stage: 'http', action: { reply: '413 no' }, times: 1 });
    const body = mail({}, 'x'.repeat(5 * 1024 * 1024));
    expect((await get(server, '/v1/anything', { method: 'POST', body })).status).toBe(413);
    expect((await get(server, '/v1/mailboxes')).status).toBe(200);
  });

  test('without a body answers without one, and HEAD never has one', async ({ server }) => {
    await set(
      server,
      { stage: 'http', action: { reply: { status: 204 } }, times: 1 },
      { stage: 'http', action: { reply: '500 oops' } },
    );
    expect(await send(server, { path: '/v1/mailboxes' })).toMatchObject({ status: 204, body: '' });
    expect(await send(server, { path: '/v1/mailboxes', method: 'HEAD' })).toMatchObject({ status: 500, body: '' });
    expect(await send(server, { path: '/v1/mailboxes' })).toMatchObject({ status: 500, body: 'oops' });
  });
});
