import { once } from 'node:events';
import { describe, expect, test as plain } from 'vitest';
import { WebSocket } from 'ws';
import { impatientClock } from '../support/impatient-clock.ts';
import { startServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { send } from './support.ts';

const PROBES = ['/livez', '/readyz', '/healthz', '/api/healthz'];
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('the probes', () => {
  plain('need no token off loopback, no name of this server, and no API of another catcher', async () => {
    await using server = await startServer({ host: '0.0.0.0', compat: ['off'] });
    for (const path of PROBES) {
      const answer = await send(server, { path, headers: { host: 'mail.example.com' } });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    expect((await fetch(`${server.url}/_mailcap/info`)).status).toBe(401);
  });

  unless(plain, ofOneServer('its stop'))('report a stop, which is no death', async () => {
    await using server = await startServer({ drain: 1 });
    const closed = server.close();
    for (const path of PROBES) {
      const { status } = await send(server, { path });
      expect([path, status]).toEqual([path, path === '/livez' ? 200 : 503]);
    }
    await closed;
  });

  unless(test, ofOneServer('a spy on it'))('are 503 while the disk takes nothing', async ({ mailcap }) => {
    const { store } = mailcap.ctx;
    Object.defineProperty(store, 'health', { value: 'disk_full', configurable: true });
    for (const path of PROBES.slice(1)) expect([path, (await send(mailcap, { path })).status]).toEqual([path, 503]);
  });
});

describe('--webroot', () => {
  plain('serves every path also below it, and nothing that only begins like it', async () => {
    await using server = await startServer({ webroot: '/q/mailpit' });
    for (const path of [...PROBES, '/_mailcap/info', '/', '/api/v1/messages'])
      expect([path, (await fetch(`${server.url}/q/mailpit${path}`)).status]).toEqual([path, 200]);
    expect((await fetch(`${server.url}/q/mailpit`)).status).toBe(200);
    expect((await fetch(`${server.url}/q/mailpitx/readyz`)).status).toBe(404);
    expect((await fetch(`${server.url}/q/mailpit/q/mailpit/readyz`)).status).toBe(404);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  plain('serves the feed below it', async () => {
    await using server = await startServer({ webroot: '/mail' });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/mail/_mailcap/feed`);
    await once(socket, 'open');
    socket.close();
  });
});

describe('--auth off', () => {
  const open = () => startServer({ host: '0.0.0.0', auth: 'off', allowedHosts: ['app.ddev.site'] });

  plain('asks for no token off loopback, but /v1 asks for its key', async () => {
    await using server = await open();
    for (const path of ['/', '/_mailcap/info', '/api/v1/messages', '/email'])
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
    expect((await fetch(`${server.url}/v1/mailboxes`)).status).toBe(401);
  });

  plain('answers to names that no stranger can have', async () => {
    await using server = await open();
    const names = [
      'mailpit:8025',
      '172.17.0.2:8025',
      '[fd00::2]:8025',
      'host.docker.internal:32768',
      'nas.local',
      'a.test',
    ];
    for (const host of [...names, 'app.ddev.site', 'localhost:1'])
      expect([host, (await send(server, { path: '/api/v1/messages', headers: { host } })).status]).toEqual([host, 200]);
  });

  plain('refuses the pages of others: DNS rebinding, foreign origins and cross-site requests', async () => {
    await using server = await open();
    const { host } = new URL(server.url);
    const status = async (headers: Record<string, string>, method = 'GET') =>
      (await send(server, { method, path: '/api/v1/messages', headers: { host, ...headers } })).status;
    for (const name of ['evil.example', 'mailpit.evil.example', '172.17.0.2.evil.example', 'evil.internal.example'])
      expect([name, await status({ host: name })]).toEqual([name, 403]);
    for (const origin of ['http://evil.example', 'null', 'http://mailpit:1'])
      for (const method of ['GET', 'DELETE'])
        expect([origin, method, await status({ origin }, method)]).toEqual([origin, method, 403]);
    expect(await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await status({ origin: `http://${host}` })).toBe(200);
  });

  plain('lets no page of another site load what a path that anybody knows has, unless it is allowed', async () => {
    const policyOf = async (url: string) => (await fetch(url)).headers.get('cross-origin-resource-policy');
    await using server = await open();
    for (const path of [
      '/api/v1/messages',
      '/view/latest.html',
      '/api/v1/message/latest/part/2',
      '/email',
      '/messages',
    ])
      expect([path, await policyOf(server.url + path)]).toEqual([path, 'same-origin']);
    await using allowing = await startServer({ allowedOrigins: ['app.test'] });
    expect(await policyOf(`${allowing.url}/api/v1/messages`)).toBeNull();
  });

  plain('opens nothing more on loopback', async () => {
    await using server = await startServer({ auth: 'off' });
    expect((await send(server, { path: '/_mailcap/info', headers: { host: 'mailpit:8025' } })).status).toBe(403);
  });
});

describe('httpUsers', () => {
  const start = (more: object = {}) =>
    startServer({
      httpUsers: ['ada:secret'],
      adminToken: 'token-of-the-admin',
      overrides: { clock: impatientClock() },
      ...more,
    });

  plain('asks for a password everywhere but at the probes, also on loopback, and offers Basic', async () => {
    await using server = await start();
    for (const path of ['/', '/_mailcap/info', '/api/v1/messages', '/email']) {
      const asked = await fetch(server.url + path);
      expect([path, asked.status, asked.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        expect.stringContaining('Basic '),
      ]);
      const status = async (headers: Record<string, string>) => (await fetch(server.url + path, { headers })).status;
      expect([path, await status(basic('ada:secret'))]).toEqual([path, 200]);
      expect([path, await status({ authorization: 'Bearer token-of-the-admin' })]).toEqual([path, 200]);
      for (const wrong of ['ada:wrong', 'eve:secret', 'ada:', ':secret'])
        expect([path, wrong, await status(basic(wrong))]).toEqual([path, wrong, 401]);
    }
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  plain('a page of another site can’t use the password that a browser keeps', async () => {
    await using server = await start();
    for (const credentials of ['ada:secret', 'any:token-of-the-admin']) {
      const headers = { ...basic(credentials), origin: 'http://evil.example' };
      expect((await fetch(`${server.url}/api/v1/messages`, { method: 'DELETE', headers })).status).toBe(403);
    }
  });

  plain('sendUsers replace them for sending alone', async () => {
    await using server = await start({ sendUsers: ['robot:send'] });
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body: '{}' })).status;
    expect(await post(basic('robot:send'))).not.toBe(401);
    expect(await post(basic('ada:secret'))).toBe(401);
    expect((await fetch(`${server.url}/api/v1/messages`, { headers: basic('robot:send') })).status).toBe(401);
    await using anybody = await start({ sendUsers: [] });
    expect((await fetch(`${anybody.url}/api/v1/send`, { method: 'POST', body: '{}' })).status).not.toBe(401);
    const foreign = { method: 'POST', body: '{}', headers: { origin: 'http://evil.example' } };
    expect((await fetch(`${anybody.url}/api/v1/send`, foreign)).status).toBe(403);
  });
});
