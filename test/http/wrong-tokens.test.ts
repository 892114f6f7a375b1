import { request } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer } from '../support/mailcap.ts';
import { send } from './support.ts';

const TOKEN = 'admin-token-of-the-test';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Starts a server off loopback whose held answers leave when the test says so. */
async function start() {
  const real = systemClock();
  const held: { readonly ms: number; readonly act: () => void }[] = [];
  const logged: [string, unknown][] = [];
  // The delays of wrong tokens are powers of two times 100 ms, up to 5 s. The server's other timers have other times.
  const isDelay = (ms: number) => [100, 200, 400, 800, 1_600, 3_200, 5_000].includes(ms);
  const clock = {
    ...real,
    after: (ms: number, act: () => void) => {
      if (!isDelay(ms)) return real.after(ms, act);
      const timer = { ms, act };
      held.push(timer);
      return () => void (held.includes(timer) && held.splice(held.indexOf(timer), 1));
    },
  };
  const none = () => {};
  const log = { error: none, info: none, debug: none, warn: (...line: [string, unknown]) => logged.push(line) };
  // A store of its own has one server. Each server counts for itself.
  const server = await startServer({
    host: '0.0.0.0',
    adminToken: TOKEN,
    overrides: { clock, log, store: memoryStore() },
  });
  return { server, held, logged };
}

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test.each([
  ['the local API', { path: '/_mailcap/info', headers: bearer('wrong') }],
  ['an unknown path', { path: '/_mailcap/nowhere', headers: bearer('wrong') }],
  ['the tools for agents', { method: 'POST', path: '/mcp', headers: bearer('wrong') }],
  ['the API of another catcher', { path: '/api/v1/messages', headers: { authorization: `Basic ${btoa('a:wrong')}` } }],
  ['the feed', { path: '/_mailcap/feed', headers: { ...HANDSHAKE, ...bearer('wrong') } }],
  [
    'the feed, as a browser asks',
    {
      path: '/_mailcap/feed',
      headers: { ...HANDSHAKE, 'sec-websocket-protocol': 'mailcap.feed, mailcap.token.d3Jvbmc' },
    },
  ],
] as const)('%s answers the fourth wrong token later, the fifth later still', async (_, wrong) => {
  const { server, held } = await start();
  await using _server = server;
  for (let count = 0; count < 3; count++) expect((await send(server, wrong)).status).toBe(401);
  expect(held).toEqual([]);
  for (const ms of [100, 200]) {
    let answered = false;
    const answer = send(server, wrong).finally(() => {
      answered = true;
    });
    await expect.poll(() => held.map((timer) => timer.ms)).toEqual([ms]);
    // The right token and none at all pass the one that waits.
    expect((await send(server, { path: '/_mailcap/info', headers: bearer(TOKEN) })).status).toBe(200);
    expect((await send(server, { path: '/_mailcap/info' })).status).toBe(401);
    expect((await send(server, { path: '/v1/mailboxes', headers: bearer('wrong') })).status).toBe(401);
    expect(answered).toBe(false);
    held[0]?.act();
    expect(await answer).toMatchObject({ status: 401, body: '{"error":"unauthorized"}' });
    expect(held).toEqual([]);
  }
});

test('with eight answers held, a wrong token is answered at once and its connection ends', async () => {
  const { server, held, logged } = await start();
  await using _server = server;
  const wrong = { path: '/_mailcap/info', headers: bearer('wrong') };
  for (let count = 0; count < 3; count++) await send(server, wrong);
  const { hostname, port } = new URL(server.url);
  const waiting = Array.from({ length: 8 }, () => request({ host: hostname, port, agent: false, ...wrong }).end());
  for (const one of waiting) one.on('error', () => {});
  await expect.poll(() => held.length).toBe(8);
  const kept = { ...wrong.headers, connection: 'keep-alive' };
  expect(await send(server, { ...wrong, headers: kept })).toMatchObject({
    status: 401,
    headers: { connection: 'close' },
  });
  // A client that hangs up makes place.
  waiting[0]?.destroy();
  await expect.poll(() => held.length).toBe(7);
  const next = send(server, wrong);
  await expect.poll(() => held.length).toBe(8);
  expect(logged).toEqual([1, 2, 4, 8].map((count) => ['a wrong admin token', { client: '127.0.0.1', count }]));
  // The end of the server ends the waits.
  await server.close();
  expect((await next).status).toBe(401);
  expect(held).toEqual([]);
});
