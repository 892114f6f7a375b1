import { describe, expect } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { test } from '../support/mailcap.ts';
import { addHook, getHook, lastRequest, type RequestPage, requestsOf, type WebhookView } from './hooks.ts';
import { addKey, addWorkspace, json, outcome, raw } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

test('POST makes a webhook with a fresh key and the defaults', async ({ mailcap }) => {
  const response = await mailcap.api('/v1/webhooks', { json: {} });
  expect(response.status).toBe(201);
  const view = await json<WebhookView>(response);
  expect(view).toEqual({
    id: view.id,
    workspaceId: mailcap.workspaceId,
    name: null,
    key: expect.stringMatching(/^[\w-]{43}$/),
    responseStatus: 200,
    responseContentType: null,
    responseBody: '',
    forwardMode: 0,
    forwardUrl: null,
    retentionDays: 30,
    maxRetentionDays: 90,
    requestCount: 0,
    lastRequestAt: null,
    createdAt: view.createdAt,
  });
  const other = await addHook(mailcap);
  expect(other.key).not.toBe(view.key);
});

test('every setting is taken, in either spelling of the mode', async ({ mailcap }) => {
  const settings = {
    name: 'Payments',
    responseStatus: 202,
    responseContentType: 'application/json',
    responseBody: '{"ok":true}',
    forwardUrl: 'http://127.0.0.1:9/x',
    retentionDays: 90,
  };
  expect(await addHook(mailcap, { ...settings, forwardMode: 'Sync' })).toMatchObject({ ...settings, forwardMode: 2 });
  expect(await addHook(mailcap, { ...settings, forwardMode: 1 })).toMatchObject({ ...settings, forwardMode: 1 });
});

test.for<[string, Record<string, unknown>, object?]>([
  ['invalid_name', { name: 'x'.repeat(101) }],
  ['invalid_name', { name: 5 }],
  ['invalid_response_status', { responseStatus: 600 }],
  ['invalid_response_status', { responseStatus: 'x' }],
  ['invalid_response_content_type', { responseContentType: 'x' }],
  ['invalid_response_body', { responseBody: ['x'] }],
  ['invalid_response_body', { responseBody: 'x'.repeat(1024 * 1024 + 1) }],
  ['invalid_forward_mode', { forwardMode: 'always' }],
  ['invalid_forward_mode', { forwardMode: {} }],
  ['invalid_forward_url', { forwardUrl: 'x' }],
  ['invalid_forward_url', { forwardMode: 'async' }],
  ['invalid_retention', { retentionDays: 91 }, { max: 90 }],
  ['invalid_retention', { retentionDays: '5' }, { max: 90 }],
])('%s, at create and at update', async ([error, given, extra = {}], { mailcap }) => {
  const refused = { status: 400, body: { error, ...extra } };
  expect(await outcome(mailcap.api('/v1/webhooks', { json: given }))).toEqual(refused);
  const hook = await addHook(mailcap);
  const patched = mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json: given });
  expect(await outcome(patched)).toEqual(refused);
  const { url: _url, ...unchanged } = hook;
  expect(await getHook(mailcap, hook)).toEqual(unchanged);
});

test('a POST without a body makes a webhook with every default', async ({ mailcap }) => {
  const head = `POST /v1/webhooks HTTP/1.1\r\nHost: ${new URL(mailcap.url).host}\r\nConnection: close\r\n`;
  const answer = await raw(mailcap, `${head}Authorization: Bearer ${mailcap.apiKey}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer).toContain('"responseStatus":200');
  expect((await mailcap.api('/v1/webhooks', { method: 'POST' })).status).toBe(201);
});

test('a responseBody of 1 MiB is taken', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { responseBody: '"'.repeat(1024 * 1024 - 10) });
  expect((await (await fetch(hook.url)).text()).length).toBe(1024 * 1024 - 10);
});

test('PATCH changes what is given; omitted and null fields stay as they are', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { name: 'A', forwardUrl: 'http://127.0.0.1:9' });
  const patch = (json: unknown) => mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json });
  const { url: _url, ...before } = hook;
  expect(await outcome(patch({ name: null, responseStatus: null }))).toEqual({ status: 200, body: before });
  expect(await json(patch({ responseStatus: 503 }))).toEqual({ ...before, responseStatus: 503 });
  expect(await json(patch({ forwardMode: 'async' }))).toEqual({ ...before, responseStatus: 503, forwardMode: 1 });
  expect((await fetch(hook.url)).status).toBe(503);
});

test('GET lists every webhook of the key’s workspace and no other', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap);
  expect(await json(mailcap.api('/v1/webhooks', { headers }))).toEqual([]);
  const first = await addHook(mailcap, { name: 'first' }, headers);
  const second = await addHook(mailcap, { name: 'second' }, headers);
  // Scopes limit mailboxes and authenticators only, so any key of the workspace reads its webhooks.
  const scoped = await addKey(mailcap, id, { mailboxes: [], authenticators: [] });
  const list = await json<WebhookView[]>(
    mailcap.api('/v1/webhooks', { headers: { authorization: `Bearer ${scoped}` } }),
  );
  expect(list.map((hook) => hook.id)).toEqual([first.id, second.id]);
});

test('one webhook more than the plan has is 409 hook_limit_reached with limit; a deletion makes room', async ({
  mailcap,
}) => {
  const { headers } = await addWorkspace(mailcap, { plan: 'free' });
  const hook = await addHook(mailcap, {}, headers);
  const another = () => mailcap.api('/v1/webhooks', { json: {}, headers });
  expect(await outcome(another())).toEqual({ status: 409, body: { error: 'hook_limit_reached', limit: 1 } });
  expect((await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'DELETE', headers })).status).toBe(204);
  expect((await another()).status).toBe(201);
});

test('another workspace’s webhooks and requests are 404 in every operation', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url);
  const [request] = await requestsOf(mailcap, hook);
  const { headers } = await addWorkspace(mailcap);
  for (const [method, path] of [
    ['GET', `/v1/webhooks/${hook.id}`],
    ['PATCH', `/v1/webhooks/${hook.id}`],
    ['DELETE', `/v1/webhooks/${hook.id}`],
    ['GET', `/v1/webhooks/${hook.id}/requests`],
    ['DELETE', `/v1/webhooks/${hook.id}/requests`],
    ['GET', `/v1/webhooks/requests/${request?.id}`],
    ['POST', `/v1/webhooks/requests/${request?.id}/replay`],
    ['GET', '/v1/webhooks/01JD5Z3V8W0123456789ABCDEF'],
    ['GET', '/v1/webhooks/requests/x'],
    ['GET', '/v1/webhooks/requests'],
  ] as const) {
    const init = method === 'PATCH' ? { json: { name: 'x' } } : {};
    expect(await outcome(mailcap.api(path, { method, headers, ...init })), `${method} ${path}`).toEqual(NOT_FOUND);
  }
});

describe('the requests list', () => {
  test('is newest first, in pages with the total', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    for (let i = 0; i < 7; i++) await fetch(`${hook.url}/${i}`, { method: 'POST', body: 'x' });
    const page = (query: string) => json<RequestPage>(mailcap.api(`/v1/webhooks/${hook.id}/requests?${query}`));
    const paths = async (query: string) => (await page(query)).items.map(({ path }) => path);
    expect(await page('')).toMatchObject({ total: 7, page: 1, pageSize: 50 });
    expect(await paths('pageSize=3')).toEqual(['/6', '/5', '/4']);
    expect(await paths('pageSize=3&page=3')).toEqual(['/0']);
    expect(await page('pageSize=3&page=4')).toEqual({ items: [], total: 7, page: 4, pageSize: 3 });
    expect(await page('pageSize=999&page=0')).toMatchObject({ page: 1, pageSize: 200 });
    expect(Object.keys((await page('')).items[0] ?? {})).toEqual([
      'id',
      'method',
      'path',
      'contentType',
      'sizeBytes',
      'sourceIp',
      'receivedAt',
      'responseStatus',
      'forwardStatus',
      'forwardHttpStatus',
    ]);
  });

  test.for([
    ['page=x', 'invalid_page'],
    ['pageSize=1.5', 'invalid_page_size'],
  ])('%s is 400 %s', async ([query, error], { mailcap }) => {
    const hook = await addHook(mailcap);
    const answer = mailcap.api(`/v1/webhooks/${hook.id}/requests?${query}`);
    expect(await outcome(answer)).toEqual({ status: 400, body: { error } });
  });
});

test('clearing deletes every captured request and keeps the webhook', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url);
  const { id } = await lastRequest(mailcap, hook);
  expect((await mailcap.api(`/v1/webhooks/${hook.id}/requests`, { method: 'DELETE' })).status).toBe(204);
  expect(await requestsOf(mailcap, hook)).toEqual([]);
  expect(await outcome(mailcap.api(`/v1/webhooks/requests/${id}`))).toEqual(NOT_FOUND);
  expect(await getHook(mailcap, hook)).toMatchObject({ requestCount: 0, lastRequestAt: expect.any(String) });
  expect((await fetch(hook.url)).status).toBe(200);
  expect(await requestsOf(mailcap, hook)).toHaveLength(1);
});

test('deleting removes the webhook with its requests, and its URL stops at once', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url);
  const { id } = await lastRequest(mailcap, hook);
  expect((await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await outcome(fetch(hook.url))).toEqual(NOT_FOUND);
  expect(await outcome(mailcap.api(`/v1/webhooks/${hook.id}`))).toEqual(NOT_FOUND);
  expect(await outcome(mailcap.api(`/v1/webhooks/requests/${id}`))).toEqual(NOT_FOUND);
});

test('a request past its retention is gone from every answer the moment it expires', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { retentionDays: 2 });
  await fetch(hook.url);
  const { id, receivedAt } = await lastRequest(mailcap, hook);
  const { clock } = mailcap.ctx;
  clock.setOffsetMs(2 * DAY_MS - 60_000);
  expect(await requestsOf(mailcap, hook)).toHaveLength(1);
  clock.setOffsetMs(2 * DAY_MS);
  for (const path of [`/v1/webhooks/requests/${id}`, `/_mailcap/webhooks/requests/${id}`]) {
    expect(await outcome(mailcap.api(path))).toEqual(NOT_FOUND);
  }
  expect(await json(mailcap.api(`/v1/webhooks/${hook.id}/requests`))).toMatchObject({ items: [], total: 0 });
  expect(await getHook(mailcap, hook)).toMatchObject({ requestCount: 0, lastRequestAt: receivedAt });
  clock.setOffsetMs(0);
});

test('reset leaves no webhook', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await mailcap.api('/_mailcap/reset', { method: 'POST' });
  expect(await outcome(fetch(hook.url))).toEqual(NOT_FOUND);
  expect(await json(mailcap.api('/v1/webhooks'))).toEqual([]);
});
