import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addHook, lastRequest } from './hooks.ts';
import { outcome, raw, send } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
const ULID = '01JD5Z3V8W0123456789ABCDEF';

test.for([
  '/v1',
  '/v1/',
  '/v1/nowhere',
  '/v1/mailboxes/',
  '/v1/Mailboxes',
  `/v1/mailboxes/${ULID}`,
  `/v1/mailboxes/${ULID}/messages`,
  `/v1/mailboxes/${ULID}/messages/await`,
  `/v1/mailboxes/${ULID}/messages/${ULID}`,
  '/v1/mailboxes/no-ulid/messages',
  '/v1/mailboxes/%zz/messages',
  '/v1/mailboxes/%2e%2e/messages',
  '/v1/mailboxes/a%2Fb/messages',
  '/v1/mailboxes/__proto__/messages',
  '/_mailcap',
  '/_mailcap/nowhere',
  `/_mailcap/messages/${ULID}`,
  `/_mailcap/messages/${ULID}/raw`,
  '/_mailcap/messages/%zz/raw',
  '/nowhere',
])('%s is 404 not_found', async (path, { mailcap }) => {
  expect(await outcome(mailcap.api(path))).toEqual(NOT_FOUND);
});

test.for([
  ['DELETE', '/v1/mailboxes', 'GET, HEAD'],
  ['POST', '/v1/mailboxes', 'GET, HEAD'],
  ['OPTIONS', '/v1/mailboxes', 'GET, HEAD'],
  ['GET', `/v1/workspaces/${ULID}/mailboxes`, 'POST'],
  ['PATCH', '/_mailcap/workspaces', 'GET, HEAD, POST'],
  ['PUT', `/_mailcap/mailboxes/${ULID}/messages`, 'GET, HEAD, POST, DELETE'],
  ['GET', '/_mailcap/reset', 'POST'],
  ['PATCH', '/_mailcap/clock', 'GET, HEAD, PUT'],
] as const)('%s on the known path %s is 405 with Allow', async ([method, path, allow], { mailcap }) => {
  const response = await mailcap.api(path, { method });
  expect(response.headers.get('allow')).toBe(allow);
  expect(await outcome(response)).toEqual({ status: 405, body: { error: 'method_not_allowed' } });
});

test('HEAD answers as GET does, without the body', async ({ mailcap }) => {
  const get = await mailcap.api('/v1/mailboxes');
  const length = (await get.text()).length;
  const head = await mailcap.api('/v1/mailboxes', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(String(length));
  expect(await head.text()).toBe('');
});

test('every response carries X-Request-Id, each its own', async ({ mailcap }) => {
  const paths = ['/v1/mailboxes', '/v1/nowhere', '/_mailcap/health', '/', '/nowhere', '/v1/mailboxes/%zz/messages'];
  const ids = await Promise.all(paths.map(async (path) => (await mailcap.api(path)).headers.get('x-request-id')));
  expect(ids).not.toContain(null);
  expect(new Set(ids).size).toBe(paths.length);
});

test('no header names the software of the server, and no answer has an ETag', async ({ mailcap }) => {
  const { headers } = await mailcap.api('/v1/mailboxes');
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('server')).toBeNull();
  expect(headers.get('etag')).toBeNull();
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('a request that is no HTTP gets a 400, and its connection is closed', async ({ mailcap }) => {
  expect(await raw(mailcap, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: /);
});

test('headers over 16 KiB are answered 431', async ({ mailcap }) => {
  const bytes = `GET /v1/mailboxes HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`;
  expect(await raw(mailcap, bytes)).toMatch(/^HTTP\/1\.1 431 /);
});

test('a path in absolute form is the same path', async ({ mailcap }) => {
  const headers = { authorization: `Bearer ${mailcap.apiKey}` };
  const answer = await send(mailcap, { path: `${mailcap.url}/v1/mailboxes`, headers });
  expect(answer.status).toBe(200);
});

test.for(['/v1/%6dailboxes', '/%761/mail%62oxes', '/v1/mailboxes?subject=%6d'])(
  '%s is /v1/mailboxes: what needs no encoding is read decoded',
  async (path, { mailcap }) => {
    expect((await send(mailcap, { path, headers: { authorization: `Bearer ${mailcap.apiKey}` } })).status).toBe(200);
    // The same guards stand before it.
    expect((await send(mailcap, { path })).status).toBe(401);
  },
);

test('a webhook URL is recorded as it was sent, also where its first part is encoded', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  expect((await send(mailcap, { path: `/%68ooks/${hook.key}/%61%2fb?c=%64` })).status).toBe(200);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ path: '/%61%2fb', query: 'c=%64' });
});

test('OPTIONS * lists the methods of the server', async ({ mailcap }) => {
  const answer = await raw(mailcap, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  expect(answer).toContain('\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n');
});

test('a webhook URL in absolute form is the same URL, and is recorded without scheme and host', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  expect((await send(mailcap, { path: `${hook.url}/orders?id=7` })).status).toBe(200);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ path: '/orders', query: 'id=7' });
  expect((await send(mailcap, { path: `${hook.url}?id=8` })).status).toBe(200);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ path: '/', query: 'id=8' });
});

test('an unknown path in absolute form is checked as any other', async ({ mailcap }) => {
  const { status, body } = await send(mailcap, { path: `${mailcap.url}/v1/nowhere` });
  expect([status, JSON.parse(body)]).toEqual([401, { error: 'unauthorized' }]);
});

test('an unknown Expect header is ignored, and recorded as any header', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const headers = { authorization: `Bearer ${mailcap.apiKey}`, expect: '200-ok' };
  expect((await send(mailcap, { path: '/v1/mailboxes', headers })).status).toBe(200);
  expect((await send(mailcap, { path: `/hooks/${hook.key}`, headers })).status).toBe(200);
  expect((await lastRequest(mailcap, hook)).headers).toMatchObject({ expect: '200-ok' });
});
