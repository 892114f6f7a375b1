import { expect, test, vi } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { Wire } from '../smtp/wire.ts';
import { FeedClient } from '../support/feed-client.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { addHook } from './hooks.ts';
import { json, putMail, raw } from './support.ts';

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Starts a server and collects what it logs for debugging. */
async function loggingServer(logLevel: 'debug' | 'info') {
  const lines: Line[] = [];
  const quiet = () => {};
  const debug: Log['debug'] = (message, fields = {}) => lines.push({ message, fields });
  const log: Log = { error: quiet, warn: quiet, info: quiet, debug };
  return { server: await startServer({ logLevel, catchAll: 'off', overrides: { log } }), lines };
}

/** Returns the line of a request, which comes when its answer has left. */
async function lineOf(lines: readonly Line[], requestId: string | null | undefined): Promise<Line> {
  return vi.waitFor(() => {
    const found = lines.filter(({ fields }) => fields['requestId'] === requestId);
    expect(found).toHaveLength(1);
    return found[0] as Line;
  });
}

async function pathsOf(server: TestServer) {
  const { key } = await addHook(server);
  const { id } = await putMail(server, server.mailboxId, {}, 'Hello');
  const { url: view } = await json<{ url: string }>(server.api(`/_mailcap/messages/${id}/view`, { method: 'POST' }));
  return [
    ['GET', '/v1/mailboxes?limit=2', '/v1/mailboxes', { status: 200 }],
    ['GET', '/v1/mailboxes/x/messages', '/v1/mailboxes/x/messages', { status: 404, error: 'not_found' }],
    ['PUT', '/v1/mailboxes', '/v1/mailboxes', { status: 405, error: 'method_not_allowed' }],
    ['GET', '/_mailcap/health', '/_mailcap/health', { status: 200 }],
    ['GET', '/nowhere', '/nowhere', { status: 404, error: 'not_found' }],
    ['POST', `/hooks/${key}/orders?secret=1`, '/hooks/:key/orders', { status: 200 }],
    ['GET', view, '/_mailcap/view/:token/', { status: 200 }],
    ['GET', `/${'a'.repeat(2_000)}`, `/${'a'.repeat(499)}…`, { status: 404, error: 'not_found' }],
  ] as const;
}

test('with the level debug each request has a line with its id, its path without secrets, its status and its refusal', async () => {
  const { server, lines } = await loggingServer('debug');
  await using _ = server;
  for (const [method, asked, path, says] of await pathsOf(server)) {
    const response = await server.api(asked, { method });
    await response.arrayBuffer();
    const { message, fields } = await lineOf(lines, response.headers.get('x-request-id'));
    expect(message).toBe('a request was answered');
    // With several servers, a line also has the number of the one that wrote it.
    const { server: _number, ...told } = fields;
    expect(told).toEqual({ method, path, ...says, ms: expect.any(Number), requestId: expect.any(String) });
  }
  const refused = await fetch(`${server.url}/v1/mailboxes`);
  expect(await lineOf(lines, refused.headers.get('x-request-id'))).toMatchObject({
    fields: { status: 401, error: 'unauthorized' },
  });
  const answer = await raw(server, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: x\r\n\r\n');
  const id = /x-request-id: (\S+)/i.exec(answer)?.[1];
  expect(await lineOf(lines, id)).toMatchObject({ message: 'a request was refused as unreadable' });
});

test('with the level debug a subscriber of the feed and a client that left before its answer have a line', async () => {
  const { server, lines } = await loggingServer('debug');
  await using _ = server;
  await using _feed = await FeedClient.open(`${server.url.replace('http', 'ws')}/_mailcap/feed`);
  await vi.waitFor(() => expect(lines).toContainEqual(withFields({ path: '/_mailcap/feed', status: 101 })));
  const gone = new AbortController();
  const path = `/v1/mailboxes/${server.mailboxId}/messages/await`;
  const wait = server.api(`${path}?timeout=30`, { signal: gone.signal }).catch(() => {});
  await vi.waitFor(() => expect(server.ctx.waiters.size).toBe(1));
  gone.abort();
  await wait;
  await vi.waitFor(() => expect(lines).toContainEqual(withFields({ path, status: null })));
});

const withFields = (fields: object) => expect.objectContaining({ fields: expect.objectContaining(fields) });

test('with the level debug each refusal of SMTP has a line: of a mail, and of a command', async () => {
  const { server, lines } = await loggingServer('debug');
  await using _ = server;
  const wire = await Wire.hello(server.smtp.port);
  await wire.say('MAIL FROM:<app@x.test>');
  expect(await wire.say('RCPT TO:<ada@nowhere.test>')).toMatch(/^550/);
  expect(await wire.say('EXPN staff')).toMatch(/^502/);
  expect(lines.filter(({ message }) => message === 'SMTP refused')).toEqual([
    withFields({
      stage: 'rcpt',
      recipient: 'ada@nowhere.test',
      mailFrom: 'app@x.test',
      reply: expect.stringMatching(/^550 5\.1\.1/),
    }),
    withFields({ reply: expect.stringMatching(/^502/), clientAddress: '127.0.0.1' }),
  ]);
  wire.socket.destroy();
});

test('with any other level there is no line', async () => {
  const { server, lines } = await loggingServer('info');
  await using _ = server;
  for (const [method, asked] of await pathsOf(server)) await (await server.api(asked, { method })).arrayBuffer();
  await raw(server, 'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n');
  const wire = await Wire.hello(server.smtp.port);
  await wire.say('MAIL FROM:<app@x.test>');
  await wire.say('RCPT TO:<ada@nowhere.test>');
  wire.socket.destroy();
  expect(lines).toEqual([]);
});
