import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test as plain } from 'vitest';
import { WebSocket } from 'ws';
import { FeedClient, refused } from '../support/feed-client.ts';
import { startServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { putMail, send } from './support.ts';

describe('a handshake with the feed', () => {
  test.for([
    ['types=message.received,nothing', 'invalid_types'],
    ['types=__proto__', 'invalid_types'],
    ['types=,', 'invalid_types'],
    ['mailboxId=inbox', 'invalid_mailbox_id'],
    ['since=yesterday', 'invalid_since'],
    ['since=2026-11-20T15:55:21Z', 'invalid_since'],
  ])('%s is refused before the upgrade: 400 %s', async ([query, error], { mailcap }) => {
    const answer = await refused(`${mailcap.ready.feedUrl}?${query}`);
    expect([answer.status, answer.body]).toEqual([400, JSON.stringify({ error })]);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    expect(answer.headers['x-request-id']).toMatch(/./);
  });

  test('with a foreign Origin or Host is 403 forbidden, and with the server’s own is accepted', async ({ mailcap }) => {
    const { feedUrl } = mailcap.ready;
    const { host } = new URL(feedUrl);
    const foreign = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { headers: { host: 'evil.example' } },
      { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' } },
    ];
    for (const options of foreign) {
      const answer = await refused(feedUrl, options);
      expect([options, answer.status, answer.body]).toEqual([options, 403, '{"error":"forbidden"}']);
    }
    await using client = await FeedClient.open(feedUrl, '', [], { origin: `http://${host}` });
    expect(client.ws.readyState).toBe(WebSocket.OPEN);
  });

  plain(
    'on any other host takes the admin token as a header or among the subprotocols, and never sends it back',
    async () => {
      await using server = await startServer({ host: '0.0.0.0', adminToken: 'let,me;in/please?:)' });
      await using header = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
      const feedUrl = server.ready.feedUrl.replace('0.0.0.0', '127.0.0.1');
      const named = (token: string) => `mailcap.token.${Buffer.from(token).toString('base64url')}`;
      for (const protocols of [
        [],
        ['mailcap.feed'],
        ['mailcap.feed', named('wrong')],
        ['mailcap.feed', 'mailcap.token.'],
      ]) {
        const answer = await refused(feedUrl, { protocols });
        expect([protocols, answer.status, answer.body]).toEqual([protocols, 401, '{"error":"unauthorized"}']);
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
      for (const protocols of [
        ['mailcap.feed', named('let,me;in/please?:)')],
        [named('let,me;in/please?:)'), 'mailcap.feed'],
      ]) {
        await using client = await FeedClient.open(feedUrl, '', protocols);
        expect(client.ws.protocol).toBe('mailcap.feed');
      }
      const options = { headers: { authorization: 'Bearer let-me-in-please' } };
      await using client = await FeedClient.open(header.ready.feedUrl, '', [], options);
      expect(client.ws.protocol).toBe('');
    },
  );

  test('a GET that asks for no WebSocket is 426 with Upgrade, other methods are 405', async ({ mailcap }) => {
    const answer = await send(mailcap, { path: '/_mailcap/feed' });
    expect([answer.status, answer.body]).toEqual([426, '{"error":"upgrade_required"}']);
    expect(answer.headers).toMatchObject({
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-version': '13',
    });
    const malformed = await send(mailcap, { path: '/_mailcap/feed?since=x' });
    expect([malformed.status, malformed.body]).toEqual([400, '{"error":"invalid_since"}']);
    expect((await send(mailcap, { method: 'POST', path: '/_mailcap/feed' })).status).toBe(405);
  });

  test.for([
    { 'sec-websocket-version': '12' },
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-key': '' },
    { upgrade: 'h2c' },
  ])('one that is malformed, %j, is 426', async (wrong, { mailcap }) => {
    const right = { 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16).toString('base64') };
    const headers = { connection: 'Upgrade', upgrade: 'websocket', ...right, ...wrong };
    const answer = await send(mailcap, { path: '/_mailcap/feed', headers });
    expect([answer.status, answer.headers['sec-websocket-version']]).toEqual([426, '13']);
  });

  test('an upgrade offered anywhere else is ignored: the request is answered with its body read', async ({
    mailcap,
  }) => {
    const offers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const authorization = `Bearer ${mailcap.apiKey}`;
    const headers = { ...offers, authorization, 'content-type': 'application/json' };
    const path = `/v1/workspaces/${mailcap.workspaceId}/mailboxes`;
    const made = await send(mailcap, { method: 'POST', path, headers, body: '{"name":"By h2c"}' });
    expect([made.status, JSON.parse(made.body)]).toMatchObject([201, { subdomain: 'by-h2c' }]);
    const listed = await send(mailcap, { path: '/v1/mailboxes', headers: { ...headers, upgrade: 'websocket' } });
    expect(listed.status).toBe(200);
  });

  unless(plain, ofOneServer('its connections'))('of subscriber 2,001 is 503 until another one leaves', async () => {
    await using server = await startServer();
    const { hostname, port } = new URL(server.url);
    const head = `GET /_mailcap/feed HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
    const key = Buffer.alloc(16).toString('base64');
    const open = async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /);
      return socket;
    };
    const sockets = [];
    for (let i = 0; i < 20; i++) sockets.push(...(await Promise.all(Array.from({ length: 100 }, open))));
    const answer = await refused(server.ready.feedUrl);
    expect([answer.status, answer.body]).toEqual([503, '{"error":"too_many_subscribers","limit":2000}']);
    const metrics = async () => (await server.api('/_mailcap/metrics')).text();
    expect(await metrics()).toContain('\nmailcap_feed_subscribers 2000\n');
    expect(await metrics()).toContain('{method="GET",route="/_mailcap/feed",status="101"} 2000\n');
    sockets[0]?.destroy();
    await expect.poll(metrics).toContain('\nmailcap_feed_subscribers 1999\n');
    await using client = await FeedClient.open(server.ready.feedUrl);
    const { id } = await putMail(server, server.mailboxId);
    expect(await client.take(1)).toMatchObject([{ id }]);
    for (const socket of sockets) socket.destroy();
  });
});
