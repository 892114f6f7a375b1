import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test as plain } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import type { Clock } from '../../src/ports/system.ts';
import { FeedClient } from '../support/feed-client.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { mail, put, putMail } from './support.ts';

/** Returns a clock whose timers run `times` as fast as real time. */
function hurriedClock(times: number): Clock {
  const clock = systemClock();
  return { ...clock, after: (ms, act) => clock.after(ms / times, act) };
}

/** Subscribes on a bare socket and stops reading after the handshake. */
async function deafSubscriber({ url }: TestServer): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
  socket.write(['GET /_mailcap/feed HTTP/1.1', `Host: ${hostname}:${port}`, ...fields, key, '', ''].join('\r\n'));
  await once(socket, 'data');
  socket.pause();
  return socket;
}

/** Creates events of some 60 KB each. */
async function putLarge(server: TestServer, times: number): Promise<void> {
  const subject = 'large '.repeat(5_000);
  for (let i = 0; i < times; i++) await put(server, server.mailboxId, mail({ Subject: subject, To: subject }));
}

describe('a subscriber', () => {
  plain('too slow to read is closed with 1013, and others hear all', async () => {
    // A faster clock would end the subscriber for a ping without an answer before the mails have filled its window.
    await using server = await startServer({ overrides: { clock: hurriedClock(4) } });
    await using slow = await FeedClient.open(server.ready.feedUrl);
    await using quick = await FeedClient.open(server.ready.feedUrl);
    slow.ws.pause();
    await putLarge(server, 60);
    await quick.take(60);
    await expect.poll(() => server.ctx.feed.size, { timeout: 10_000 }).toBe(1);
    slow.ws.resume();
    expect(await slow.closed).toBe(1013);
    // The slow subscriber received a complete prefix of the events, and it resumes after that.
    expect(slow.events.length).toBeGreaterThan(0);
    expect(slow.events).toEqual(quick.events.slice(0, slow.events.length));
    const query = `since=${slow.events.at(-1)?.id}`;
    await using resumed = await FeedClient.open(server.ready.feedUrl, query);
    expect([...slow.events, ...(await resumed.take(60 - slow.events.length))]).toEqual(quick.events);
  });

  plain('that answers no ping is sent no more than a bounded number of bytes', async () => {
    await using server = await startServer({ overrides: { clock: hurriedClock(20) } });
    await using quick = await FeedClient.open(server.ready.feedUrl);
    const deaf = await deafSubscriber(server);
    await putLarge(server, 60);
    await quick.take(60);
    await expect.poll(() => server.ctx.feed.size, { timeout: 10_000 }).toBe(1);
    let received = 0;
    for await (const chunk of deaf) {
      received += chunk.length;
      if (chunk.includes('too slow')) break;
    }
    expect(received).toBeGreaterThan(512 * 1024);
    expect(received).toBeLessThan(1.2 * 1024 * 1024);
  });

  plain('is pinged, and ended where it answers none', async () => {
    await using server = await startServer({ overrides: { clock: hurriedClock(60) } });
    await using client = await FeedClient.open(server.ready.feedUrl);
    const deaf = await deafSubscriber(server);
    for (let i = 0; i < 3; i++) await once(client.ws, 'ping');
    deaf.resume();
    await once(deaf, 'close');
    await expect.poll(() => server.ctx.feed.size).toBe(1);
    const { id } = await putMail(server, server.mailboxId);
    expect(await client.take(1)).toMatchObject([{ id }]);
  });

  test('may send frames, which are ignored, and too many bytes end it with 1009', async ({ mailcap }) => {
    await using client = await FeedClient.open(mailcap.ready.feedUrl);
    client.ws.send('{"subscribe":"everything"}');
    client.ws.ping('still there?');
    const [pong] = await once(client.ws, 'pong');
    expect(String(pong)).toBe('still there?');
    const { id } = await putMail(mailcap, mailcap.mailboxId);
    expect(await client.take(1)).toMatchObject([{ id }]);
    client.ws.send('x'.repeat(2_000));
    expect(await client.closed).toBe(1009);
  });

  test('that acknowledges what it was never sent is bounded like others', async ({ mailcap }) => {
    await using client = await FeedClient.open(mailcap.ready.feedUrl);
    for (const claim of ['9'.repeat(20), '-1', 'NaN', 'Infinity', '1e400']) client.ws.pong(claim);
    const { id } = await putMail(mailcap, mailcap.mailboxId);
    expect(await client.take(1)).toMatchObject([{ id }]);
  });

  plain('that closes is answered, and is one no more', async () => {
    await using server = await startServer();
    await using client = await FeedClient.open(server.ready.feedUrl);
    expect(server.ctx.feed.size).toBe(1);
    client.ws.close(1000);
    expect(await client.closed).toBe(1000);
    await expect.poll(() => server.ctx.feed.size).toBe(0);
  });

  plain('is closed with 1001 when the server stops, which waits for none', async () => {
    const server = await startServer();
    await using client = await FeedClient.open(server.ready.feedUrl);
    const deaf = await deafSubscriber(server);
    await putLarge(server, 40);
    await client.take(40);
    const startedAt = performance.now();
    await server.close();
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await client.closed).toBe(1001);
    deaf.destroy();
  });
});
