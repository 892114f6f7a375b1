import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addHook, asSent, getHook, lastRequest, requestsOf, wire } from './hooks.ts';
import { outcome, raw } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

test('a request is recorded with method, path, query, headers, body, source address and time', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { name: 'Payments' });
  const before = Date.now();
  const response = await fetch(`${hook.url}/orders/42?a=1&b=%20x`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Signature': 'abc' },
    body: '{"paid":true,  "n":1.0}',
  });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('content-length')).toBe('0');
  expect(response.headers.get('x-request-id')).not.toBeNull();
  const request = await lastRequest(mailcap, hook);
  expect(request).toMatchObject({
    endpointId: hook.id,
    method: 'PUT',
    path: '/orders/42',
    query: 'a=1&b=%20x',
    contentType: 'application/json; charset=utf-8',
    sizeBytes: 23,
    sourceIp: '127.0.0.1',
    responseStatus: 200,
    forwardStatus: 0,
    forwardHttpStatus: null,
    forwardAttempts: 0,
    forwardedAt: null,
    forwardError: null,
    forwardResponse: null,
    bodyIsText: true,
    bodyText: '{"paid":true,  "n":1.0}',
  });
  expect(request.headers).toMatchObject({ 'x-signature': 'abc', 'content-length': '23' });
  expect(Date.parse(request.receivedAt)).toBeGreaterThanOrEqual(before);
  const view = await getHook(mailcap, hook);
  expect([view.requestCount, view.lastRequestAt]).toEqual([1, request.receivedAt]);
});

test('it is answered with the configured status, content type and body', async ({ mailcap }) => {
  const settings = { responseStatus: 418, responseContentType: 'text/plain; charset=utf-8', responseBody: 'grüß dich' };
  const hook = await addHook(mailcap, settings);
  const response = await fetch(hook.url, { method: 'POST', body: 'x' });
  expect([response.status, response.headers.get('content-type')]).toEqual([418, 'text/plain; charset=utf-8']);
  expect(await response.text()).toBe('grüß dich');
  expect((await lastRequest(mailcap, hook)).responseStatus).toBe(418);
});

test.for([204, 205, 304])('a configured %d has no body', async (responseStatus, { mailcap }) => {
  const hook = await addHook(mailcap, { responseStatus, responseBody: 'unsent' });
  const answer = await wire(hook.url, [`POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]);
  expect(answer).toContain(`HTTP/1.1 ${responseStatus} `);
  expect(answer.endsWith('\r\n\r\n')).toBe(true);
  expect(answer).not.toContain('unsent');
});

test.for(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'REPORT', 'M-SEARCH', 'QUERY'])(
  'any method: %s',
  async (method, { mailcap }) => {
    const hook = await addHook(mailcap, { responseBody: 'body' });
    const head = `${method} /hooks/${hook.key}/m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const answer = await wire(hook.url, [head]);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer).toContain('Content-Length: 4\r\n');
    expect(answer.endsWith(method === 'HEAD' ? '\r\n\r\n' : '\r\n\r\nbody')).toBe(true);
    expect((await lastRequest(mailcap, hook)).method).toBe(method);
  },
);

test.for([
  ['', '/', null],
  ['/', '/', null],
  ['?', '/', null],
  ['/a?', '/a', null],
  ['?a=b?c', '/', 'a=b?c'],
  ['/a%2Fb/%zz//c/../d;e=1', '/a%2Fb/%zz//c/../d;e=1', null],
  ['/%E2%82%AC?q=%E2%82%AC&q=+', '/%E2%82%AC', 'q=%E2%82%AC&q=+'],
])('what follows the key is kept as sent: %j', async ([suffix, path, query], { mailcap }) => {
  const hook = await addHook(mailcap);
  await wire(hook.url, [`GET /hooks/${hook.key}${suffix} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ path, query });
});

test('the value of a header is UTF-8 if it is valid UTF-8, else Latin-1', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const utf8 = Buffer.from('Grüße 🎉 用户').toString('latin1');
  const head = `GET /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nX-Utf8: ${utf8}\r\nX-Latin1: caf\u00e9\r\nContent-Type: text/${utf8}\r\nConnection: close\r\n\r\n`;
  await wire(hook.url, [Buffer.from(head, 'latin1')]);
  const request = await lastRequest(mailcap, hook);
  expect(request.headers).toMatchObject({ 'x-utf8': 'Grüße 🎉 用户', 'x-latin1': 'café' });
  expect(request.contentType).toBe('text/Grüße 🎉 用户');
  const { headers } = await asSent(mailcap, hook);
  expect(Object.fromEntries(headers)).toMatchObject({ 'X-Utf8': 'Grüße 🎉 用户', 'X-Latin1': 'café' });
});

test('header order, case and repeats are kept; /v1 has lower-case names, repeats joined', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const lines = [
    'Host: x',
    'X-B: 1',
    'x-a: one',
    'X-b: 2',
    'Cookie: a=1',
    'Cookie: b=2',
    'X-Empty:',
    'X-Raw: caf\u00e9',
  ];
  const head = Buffer.from(
    `GET /hooks/${hook.key} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`,
    'latin1',
  );
  await wire(hook.url, [head]);
  const { headers } = await asSent(mailcap, hook);
  expect(headers.map(([name, value]) => `${name}: ${value}`)).toEqual([
    ...lines.map((line) => (line.endsWith(':') ? `${line} ` : line)),
    'Connection: close',
  ]);
  const request = await lastRequest(mailcap, hook);
  expect(request.headers).toEqual({
    host: 'x',
    'x-b': '1, 2',
    'x-a': 'one',
    cookie: 'a=1, b=2',
    'x-empty': '',
    'x-raw': 'caf\u00e9',
    connection: 'close',
  });
});

test('a thousand headers are all kept, and one called __proto__ is one', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const many = Array.from({ length: 2_100 }, (_, i) => `a${i % 7}:\r\n`).join('');
  await wire(hook.url, [
    `GET /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n__proto__: p\r\n${many}\r\n`,
  ]);
  const { headers } = await asSent(mailcap, hook);
  expect(headers).toHaveLength(2_103);
  const request = await lastRequest(mailcap, hook);
  expect(Object.entries(request.headers)).toContainEqual(['__proto__', 'p']);
});

describe('bodies are exact', () => {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

  test.for<[string, Buffer, string]>([
    ['every byte', everyByte, 'application/octet-stream'],
    ['gzip is left alone', gzipSync('{"a":1}'), 'application/json'],
    ['text that is no UTF-8', Buffer.from('caf\u00e9', 'latin1'), 'text/plain; charset=iso-8859-1'],
    ['text with NUL', Buffer.from('a\0b'), 'text/plain'],
  ])('%s', async ([, body, type], { mailcap }) => {
    const hook = await addHook(mailcap);
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    await fetch(hook.url, { method: 'POST', body: new Uint8Array(body), headers });
    expect((await asSent(mailcap, hook)).bytes).toEqual(body);
    const request = await lastRequest(mailcap, hook);
    expect([request.bodyIsText, request.bodyText, request.sizeBytes]).toEqual([false, null, body.length]);
  });

  test('UTF-8 is text, whatever its content type says', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    await fetch(hook.url, { method: 'POST', body: new Uint8Array(Buffer.from('\ufeff€ 5')) });
    expect(await lastRequest(mailcap, hook)).toMatchObject({ bodyIsText: true, bodyText: '\ufeff€ 5' });
  });

  test('chunked', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const answer = await wire(hook.url, [head, '5\r\nHello\r\n', '1;ext=1\r\n,\r\n', '6\r\n World\r\n0\r\n\r\n']);
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(await lastRequest(mailcap, hook)).toMatchObject({ sizeBytes: 12, bodyText: 'Hello, World' });
    expect((await asSent(mailcap, hook)).headers).toContainEqual(['Transfer-Encoding', 'chunked']);
  });

  test('Expect: 100-continue gets a 100', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`;
    const told = await wire(hook.url, [head], (text) => text.includes('100 Continue'));
    expect(told).toMatch(/^HTTP\/1.1 100 Continue/);
    const answer = await wire(hook.url, [head, 'ok']);
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect((await lastRequest(mailcap, hook)).bodyText).toBe('ok');
  });

  test('an empty body is not the same as no body', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const head = (more: string) => `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`;
    await wire(hook.url, [head('')]);
    expect(await asSent(mailcap, hook)).toMatchObject({ hasBody: false, bytes: Buffer.alloc(0) });
    expect(await lastRequest(mailcap, hook)).toMatchObject({ sizeBytes: 0, bodyIsText: true, bodyText: '' });
    await wire(hook.url, [head('Content-Length: 0\r\n')]);
    expect(await asSent(mailcap, hook)).toMatchObject({ hasBody: true, bytes: Buffer.alloc(0) });
    expect(await lastRequest(mailcap, hook)).toMatchObject({ sizeBytes: 0, bodyIsText: true, bodyText: '' });
  });

  test('of 10 MiB; over it 413, and the request is not recorded', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const body = randomBytes(10 * 1024 * 1024);
    expect((await fetch(hook.url, { method: 'POST', body })).status).toBe(200);
    const { bytes } = await asSent(mailcap, hook);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
    const tooLarge = Buffer.concat([body, Buffer.of(0)]);
    const refused = { status: 413, body: { error: 'payload_too_large' } };
    expect(await outcome(fetch(hook.url, { method: 'POST', body: tooLarge }))).toEqual(refused);
    const stream = new Blob([tooLarge]).stream();
    const chunked = { method: 'POST', body: stream, duplex: 'half' } as RequestInit; // fetch's types lack duplex
    expect(await outcome(fetch(hook.url, chunked))).toEqual(refused);
    expect(await requestsOf(mailcap, hook)).toHaveLength(1);
  });

  test('a body that breaks off is not recorded', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n`;
    await wire(hook.url, [head, 'x'.repeat(100_000)], (text) => text.includes('100 Continue'));
    await fetch(hook.url, { method: 'POST', body: 'next' });
    expect(await requestsOf(mailcap, hook)).toMatchObject([{ sizeBytes: 4 }]);
  });
});

test('a request that offers another protocol is captured as any other', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi`;
  const answer = await wire(hook.url, [head], (text) => text.includes('\r\n\r\n'));
  expect(answer).toMatch(/^HTTP\/1.1 200/);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ bodyText: 'hi', headers: { upgrade: 'h2c' } });
});

test('a fault rule for HTTP applies to captures too, which are then not recorded', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const rule = { stage: 'http', match: { path: `/hooks/${hook.key}*` }, action: { reply: '503 later' }, times: 1 };
  expect((await mailcap.api('/_mailcap/faults', { method: 'PUT', json: [rule] })).status).toBe(200);
  const statuses = [(await fetch(hook.url)).status, (await fetch(hook.url)).status];
  expect(statuses).toEqual([503, 200]);
  expect(await requestsOf(mailcap, hook)).toHaveLength(1);
});

test('an unknown key is 404, in any method, and says nothing more', async ({ mailcap }) => {
  for (const path of ['/hooks/unknown', '/hooks/unknown/a?b', '/hooks/', '/hooks']) {
    const response = await fetch(mailcap.url + path, { method: 'POST', body: 'x'.repeat(300_000) });
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(await outcome(response)).toEqual(NOT_FOUND);
  }
});

test('captures need no key, count against no limit, and come from any origin and under any name', async ({
  mailcap,
}) => {
  const hook = await addHook(mailcap);
  const head = `POST /hooks/${hook.key} HTTP/1.1\r\nHost: evil.example\r\nOrigin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n`;
  const answer = await wire(hook.url, [head]);
  expect(answer).toMatch(/^HTTP\/1.1 200/);
  expect(answer).not.toMatch(/ratelimit/i);
});

test('a browser never takes the answer of a webhook for a page of the server', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { responseContentType: 'text/html', responseBody: '<script>alert(1)</script>' });
  const { headers } = await fetch(hook.url);
  expect(headers.get('content-security-policy')).toBe('sandbox');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('CONNECT is 400 with the JSON body, and is not captured', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  for (const target of [new URL(hook.url).pathname, 'x.test:443']) {
    const answer = await raw(mailcap, `CONNECT ${target} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nX-Request-Id: [\s\S]*\r\n\r\n\{"error":"bad_request"\}$/);
  }
  const page = await mailcap.api(`/v1/webhooks/${hook.id}/requests`);
  expect(await page.json()).toMatchObject({ total: 0 });
});
