import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test as plain } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, test } from '../support/mailcap.ts';
import { raw, send } from './support.ts';

describe('on loopback', () => {
  test.for([
    'localhost',
    'localhost:8025',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.0.0.1:9999',
    '127.1.2.3',
    '[::1]',
    '[::1]:8025',
  ])('the Host %s is answered without a key', async (host, { mailcap }) => {
    expect((await send(mailcap, { path: '/_mailcap/info', headers: { host } })).status).toBe(200);
  });

  test.for([
    'evil.example',
    'evil.example:8025',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.0.1',
    ':8025',
    '[::2]',
  ])('the Host %j is 403 forbidden: DNS rebinding', async (host, { mailcap }) => {
    for (const path of ['/_mailcap/info', '/_mailcap/health', '/_mailcap/nowhere', '/']) {
      const answer = await send(mailcap, { path, headers: { host } });
      expect([answer.status, answer.body]).toEqual([403, '{"error":"forbidden"}']);
    }
  });

  test('an empty Host is 403', async ({ mailcap }) => {
    const answer = await raw(mailcap, 'GET /_mailcap/info HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('the server’s own Origin is answered, a foreign one is 403', async ({ mailcap }) => {
    const { host } = new URL(mailcap.url);
    const answered = async (headers: Record<string, string>) =>
      (await send(mailcap, { method: 'POST', path: '/_mailcap/reset', headers: { host, ...headers } })).status;
    expect(await answered({ origin: `http://${host}` })).toBe(204);
    expect(await answered({})).toBe(204);
    for (const origin of [
      'http://evil.example',
      'http://localhost:1',
      `http://${host}.evil.example`,
      'null',
      'file://',
    ]) {
      expect([origin, await answered({ origin })]).toEqual([origin, 403]);
    }
  });

  test('a request of a browser for another page is 403, even without an Origin', async ({ mailcap }) => {
    const answered = async (headers: Record<string, string>) =>
      (await send(mailcap, { path: '/_mailcap/info', headers })).status;
    expect(await answered({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await answered({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await answered({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
    expect(await answered({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).toBe(200);
  });

  test('a link from another page to the local API works, a form does not', async ({ mailcap }) => {
    const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const answered = async (method: string, path: string, headers: Record<string, string> = foreign) =>
      (await send(mailcap, { method, path, headers })).status;
    expect(await answered('GET', '/_mailcap/info')).toBe(200);
    expect(await answered('HEAD', '/_mailcap/info')).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await answered(method, '/_mailcap/reset')).toBe(403);
    expect(await answered('POST', '/_mailcap/reset', { ...foreign, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await answered('POST', '/_mailcap/reset', { ...foreign, 'sec-fetch-site': 'same-origin' })).toBe(204);
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const handshake = { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    expect(await answered('GET', '/_mailcap/feed', { ...handshake, ...foreign })).toBe(403);
    expect(await answered('GET', '/_mailcap/feed', { ...handshake, ...foreign, 'sec-fetch-mode': 'websocket' })).toBe(
      403,
    );
  });

  test.for(['iframe', 'frame', 'embed', 'object', undefined])(
    'another page can’t show it as %s',
    async (dest, { mailcap }) => {
      for (const site of ['cross-site', 'same-site']) {
        const headers = {
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          ...(dest && { 'sec-fetch-dest': dest }),
        };
        for (const path of ['/_mailcap/info', '/_mailcap/mailboxes', '/', '/docs', '/docs/reference', '/docs/faults']) {
          const answer = await send(mailcap, { path, headers });
          expect([path, answer.status, answer.body]).toEqual([path, 403, '{"error":"forbidden"}']);
        }
      }
    },
  );

  plain('a Host given with --allowed-hosts is answered', async () => {
    await using server = await startServer({ allowedHosts: ['Mail.Internal'] });
    const status = async (host: string) => (await send(server, { path: '/_mailcap/info', headers: { host } })).status;
    expect(await status('mail.internal:8025')).toBe(200);
    expect(await status('other.internal')).toBe(403);
  });
});

describe('on any other host', () => {
  plain('it needs the admin token, health and the pages apart', async () => {
    await using server = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
    const ask = (path: string, authorization?: string, host = 'anything.example') =>
      send(server, { path, headers: { host, ...(authorization !== undefined && { authorization }) } });
    expect((await ask('/_mailcap/info', 'Bearer let-me-in-please')).status).toBe(200);
    for (const authorization of [
      undefined,
      'Bearer wrong',
      'Bearer let-me-in-pleas',
      'Basic let-me-in-please',
      `Bearer ${server.apiKey}`,
    ]) {
      const answer = await ask('/_mailcap/info', authorization);
      expect([answer.status, answer.body]).toEqual([401, '{"error":"unauthorized"}']);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await ask('/_mailcap/health')).status).toBe(200);
    expect((await ask('/_mailcap/nowhere')).status).toBe(401);
    for (const path of ['/', '/docs', '/docs/faults', '/docs/find.json', '/openapi.json'])
      expect((await ask(path)).status).toBe(200);
  });
});

plain('a kept admin token that is too short is replaced at the next start, a long one stays', async () => {
  const dataDir = await temporaryDirectory();
  const kept = async () => JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')).adminToken;
  const start = async () => {
    await using server = await startServer({ host: '0.0.0.0', ephemeral: false, dataDir });
    return server.ctx.runtime.adminToken;
  };
  await writeFile(join(dataDir, 'credentials.json'), '{ "adminToken": "fifteen-letters" }');
  const made = await start();
  expect(made).toMatch(/^[\w-]{43}$/);
  expect([await kept(), await start()]).toEqual([made, made]);
});

describe('with a public URL', () => {
  const start = async (options: { publicUrl: string; adminToken?: string }) =>
    startServer({ ...options, port: await freePort() });
  const open = async (server: Parameters<typeof send>[0], headers: Record<string, string> = {}) => {
    const paths = ['/_mailcap/info', '/_mailcap/mailboxes', '/api/v1/messages'];
    const answers = await Promise.all(paths.map((path) => send(server, { path, headers })));
    return [...new Set(answers.map(({ status }) => status))];
  };

  plain('a server on loopback needs the admin token, because a balancer passes on what others send', async () => {
    await using server = await start({ publicUrl: 'https://mail.example', adminToken: 'let-me-in-please-0123' });
    for (const host of ['mail.example', '127.0.0.1', 'evil.example']) {
      expect(await open(server, { host })).toEqual([401]);
      expect(await open(server, { host, authorization: 'Bearer let-me-in-please-0123' })).toEqual([200]);
    }
    expect((await send(server, { path: '/_mailcap/health', headers: { host: 'mail.example' } })).status).toBe(200);
  });

  plain.for(['http://127.0.0.1:8025', 'http://localhost:8025', 'http://[::1]:8025'])(
    'of loopback, %s, it needs none',
    async (publicUrl) => {
      await using server = await start({ publicUrl });
      expect(await open(server, { host: 'localhost' })).toEqual([200]);
    },
  );
});

describe('a request that programs could read in two ways', () => {
  const close = 'Connection: close\r\n';
  const feed = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const post = `POST /_mailcap/reset HTTP/1.1\r\nHost: localhost\r\n`;

  test.for([
    ['a zone in Host', `GET /_mailcap/info HTTP/1.1\r\nHost: 127.0.0.1%evil.test\r\n${close}\r\n`],
    ['a zone in an IPv6 Host', `GET /_mailcap/info HTTP/1.1\r\nHost: [::1%evil]\r\n${close}\r\n`],
    ['a user in Host', `GET /_mailcap/info HTTP/1.1\r\nHost: evil.test@localhost\r\n${close}\r\n`],
    ['a path in Host', `GET /_mailcap/info HTTP/1.1\r\nHost: localhost/evil.test\r\n${close}\r\n`],
    ['two Host lines', `GET /_mailcap/info HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n${close}\r\n`],
    ['the same Host twice', `GET /_mailcap/health HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n${close}\r\n`],
    ['two Host lines in HTTP/1.0', 'GET /_mailcap/info HTTP/1.0\r\nHost: localhost\r\nHost: evil.test\r\n\r\n'],
    ['two Host lines of a capture', `POST /hooks/x HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n${close}\r\n`],
    [
      'two Host lines of the feed',
      `GET /_mailcap/feed HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: Upgrade\r\n${feed}\r\n`,
    ],
    ['a user in the target', `GET http://evil@localhost/_mailcap/info HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`],
    ['a coding below chunked', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['codings in two lines', `${post}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ] as const)('%s is 400, and nothing after it is read', async ([, request], { mailcap }) => {
    const next = `GET /_mailcap/health HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`;
    const answer = await raw(mailcap, request + next);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"error":"bad_request"}');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test.for([
    ['http://evil.test', 'localhost', 403],
    ['HTTP://127.0.0.1.evil.test:8025', '127.0.0.1', 403],
    ['http://127.0.0.1%25evil', '127.0.0.1', 403],
    ['http://', 'localhost', 403],
    ['http://localhost:8025', 'evil.test', 200],
    ['http://[::1]', '[::1]', 200],
  ] as const)('the host of the target %s counts, not the Host %s: %i', async ([origin, host, status], { mailcap }) => {
    const answer = await raw(mailcap, `GET ${origin}/_mailcap/info HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('chunked alone is a body, in any case', async ({ mailcap }) => {
    for (const coding of ['chunked', 'Chunked']) {
      const answer = await raw(mailcap, `${post}${close}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    }
  });
});
