import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/adapters/system.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

/** Starts a server that loads its routes with the first request, because its clock has no moment after the start. */
async function coldServer(): Promise<TestServer> {
  const clock = systemClock();
  const after: typeof clock.after = (ms, act) => (ms === 0 ? () => {} : clock.after(ms, act));
  const server = await startServer({ overrides: { clock: { ...clock, after } } });
  onTestFinished(() => server.close());
  return server;
}

test('requests that come before the routes are loaded are answered once they are', async () => {
  const server = await coldServer();
  const [health, listed, made, unknown] = await Promise.all([
    server.api('/_mailcap/health'),
    server.api('/v1/mailboxes'),
    server.api(`/v1/workspaces/${server.workspaceId}/mailboxes`, { method: 'POST', json: { name: 'First' } }),
    server.api('/v1/nothing'),
  ]);
  expect([health, listed, made, unknown].map(({ status }) => status)).toEqual([200, 200, 201, 404]);
});

test('a WebSocket that is opened before the routes are loaded gets events, and one at another path a 404', async () => {
  const server = await coldServer();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/_mailcap/feed`);
  const other = new WebSocket(`${server.url.replace('http', 'ws')}/_mailcap/nothing`);
  const refused = once(other, 'unexpected-response');
  other.on('error', () => {});
  await once(socket, 'open');
  const event = once(socket, 'message');
  await server.api(`/v1/workspaces/${server.workspaceId}/mailboxes`, { method: 'POST', json: { name: 'Told' } });
  expect(JSON.parse(String((await event)[0]))).toMatchObject({ type: 'mailbox.created' });
  const [, answer] = await refused;
  expect(answer.statusCode).toBe(404);
  socket.close();
});

test('a client that leaves before the routes are loaded holds nothing', async () => {
  const server = await coldServer();
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const path = `/v1/mailboxes/${server.mailboxId}/messages/await?timeout=60`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey}\r\n\r\n`, () =>
    socket.destroy(),
  );
  await once(socket, 'close');
  expect((await server.api('/_mailcap/health')).status).toBe(200);
  await expect.poll(() => server.ctx.waiters.size).toBe(0);
});
