import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { SERVER } from '../support/two-servers.ts';
import { unless } from '../support/unless.ts';
import { addHook, wire } from './hooks.ts';
import { json, outcome, send } from './support.ts';

/** Starts an SMTP client in the middle of DATA, which delays the end of a stop. */
async function inData(server: TestServer): Promise<{ finish(): void }> {
  const socket = createConnection(server.smtp);
  socket.setEncoding('utf8');
  let heard = '';
  socket.on('data', (text: string) => {
    heard += text;
  });
  const say = async (line: string, code: number) => {
    const from = heard.length;
    if (line !== '') socket.write(`${line}\r\n`);
    await expect.poll(() => heard.slice(from), { interval: 2 }).toMatch(new RegExp(`^${code} `, 'm'));
  };
  await expect.poll(() => heard, { interval: 2 }).toMatch(/^220 /);
  await say('HELO client.test', 250);
  await say('MAIL FROM:<a@x.test>', 250);
  await say('RCPT TO:<b@inbox.mailcap.example.com>', 250);
  await say('DATA', 354);
  return { finish: () => void socket.write('Subject: late\r\n\r\nhere\r\n.\r\n') };
}

const STOPPING = [503, { error: 'shutting_down' }, '1'];

test('while a server stops, health says so, and any other request is 503 shutting_down with Retry-After', async () => {
  const server = await startServer();
  const hook = await addHook(server);
  const mail = await inData(server);
  const closed = server.close();
  const health = await fetch(`${server.url}/_mailcap/health`);
  expect([health.status, await health.json()]).toEqual([
    503,
    { error: 'shutting_down', status: 'stopping', version: server.ready.version, ...SERVER },
  ]);
  for (const path of ['/v1/mailboxes', '/_mailcap/info', `/hooks/${hook.key}`, '/docs', '/nowhere']) {
    const answer = await send(server, { path });
    expect([path, answer.status, JSON.parse(answer.body), answer.headers['retry-after']]).toEqual([path, ...STOPPING]);
    expect([answer.headers['x-request-id'], answer.headers['connection']]).toEqual([expect.any(String), 'close']);
  }
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const handshake = { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  expect((await send(server, { path: '/_mailcap/feed', headers: handshake })).status).toBe(503);
  mail.finish();
  await closed;
  await expect(fetch(`${server.url}/_mailcap/health`)).rejects.toThrow();
});

unless(test, ofOneServer('its stop'))('a stop answers an await with 503, unless its mail is on its way', async () => {
  const server = await startServer();
  const mail = await inData(server);
  const path = `/v1/mailboxes/${server.mailboxId}/messages/await?timeout=60`;
  const waits = [server.api(`${path}&subject=never`), server.api(`${path}&subject=late`)];
  const hook = await addHook(server);
  const request = server.api(`/_mailcap/webhooks/${hook.id}/requests/await?timeout=60`);
  await expect.poll(async () => (await json<unknown[]>(server.api('/_mailcap/waits'))).length).toBe(3);
  const closed = server.close();
  mail.finish();
  const [never, late] = await Promise.all(waits.map((wait) => outcome(wait)));
  expect(never).toEqual({ status: 503, body: { error: 'shutting_down' } });
  expect(late).toMatchObject({ status: 200, body: { subject: 'late' } });
  expect(await outcome(request)).toEqual({ status: 503, body: { error: 'shutting_down' } });
  await closed;
});

test('a request whose body is on its way when the stop begins is answered as any other', async () => {
  const server = await startServer();
  const body = JSON.stringify({ name: 'Under way' });
  const { hostname, port } = new URL(server.url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  const head = `POST /v1/workspaces/${server.workspaceId}/mailboxes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
  socket.write(head + body.slice(0, 5));
  // The answer to this request shows that the first one is in progress.
  await server.api('/v1/mailboxes');
  const closed = server.close();
  await expect.poll(async () => (await fetch(`${server.url}/v1/mailboxes`)).status).toBe(503);
  socket.write(body.slice(5));
  await expect.poll(() => heard).toMatch(/^HTTP\/1\.1 201 /m);
  await closed;
});

test('a request that the HTTP parser refuses gets a JSON body, its status and a request id', async () => {
  await using server = await startServer();
  const long = 'x'.repeat(20_000);
  const refused: [string, number, string][] = [
    ['BREW /v1/mailboxes HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['GET /v1/mailboxes HTTP/1.1\r\nHost: x\r\nBroken\r\n\r\n', 400, 'bad_request'],
    ['GET /v1/mailboxes HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['GET /hooks/x HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    [`GET /v1/mailboxes HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`, 431, 'headers_too_large'],
  ];
  for (const [bytes, status, error] of refused) {
    const [head = '', body = ''] = (await wire(server.url, [bytes])).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^X-Request-Id: \S+$/m);
    expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8$/m);
    expect(JSON.parse(body)).toEqual({ error });
  }
});

test('the feed’s 101 carries X-Request-Id, another for each', async () => {
  await using server = await startServer();
  const shake =
    'GET /_mailcap/feed HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  const { hostname, port } = new URL(server.url);
  const idOf = async () => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    const heard = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString('latin1'))));
    socket.write(shake);
    const id = /^X-Request-Id: (\S+)\r$/m.exec(await heard)?.[1];
    socket.destroy();
    return id;
  };
  const ids = [await idOf(), await idOf()];
  expect(ids).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set(ids).size).toBe(2);
  expect(await json(fetch(`${server.url}/_mailcap/health`))).toMatchObject({ status: 'ok' });
});
