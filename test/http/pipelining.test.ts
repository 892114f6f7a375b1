import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { MOST_IN_CONNECTION } from '../../src/domain/pipelining.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { addHook, type RequestView, requestsOf } from './hooks.ts';
import { json, putMail } from './support.ts';

/** Bodies that look like heads, and the framings that a client may choose for each. */
const BODIES = [
  '',
  'x',
  'a\r\n\r\nb',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  '0\r\n\r\n',
  '\r\n\r\n\r\n\r\n',
  'y'.repeat(5_000),
];

function post(path: string, body: string, chunk: number): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  if (chunk === 0) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  let chunks = '';
  for (let at = 0; at < body.length; at += chunk) {
    const data = body.slice(at, at + chunk);
    chunks += `${data.length.toString(16)}\r\n${data}\r\n`;
  }
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n${chunk === 7 ? 'A: b\r\n' : ''}\r\n`;
}

async function open(server: TestServer): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

unless(test, ofOneServer('its connections')).for([
  ['all at once', Number.POSITIVE_INFINITY],
  ['in packets of 1,000 bytes', 1_000],
  ['in packets of 11 bytes', 11],
] as const)(
  'requests that come %s are answered in their order, each with its own body',
  async ([, size], { mailcap }) => {
    const hook = await addHook(mailcap);
    const sent = BODIES.flatMap((body) => [0, 3, 7, 10_000].map((chunk) => ({ body, chunk })));
    const path = new URL(hook.url).pathname;
    const bytes = sent.map(({ body, chunk }, n) => post(`${path}/${n}`, body, chunk)).join('');
    const socket = await open(mailcap);
    let answers = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text;
    });
    for (let at = 0; at < bytes.length; at += size)
      if (!socket.write(bytes.slice(at, at + size))) await once(socket, 'drain');
    // The last bytes come with the end of what the client sends.
    socket.end();
    await once(socket, 'close');
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(sent.map(() => 'HTTP/1.1 200'));
    const told = await Promise.all(
      (await requestsOf(mailcap, hook)).map(async ({ id, path: at }) => {
        const { bodyText } = await json<RequestView>(mailcap.api(`/v1/webhooks/requests/${id}`));
        return { n: Number(at.split('/').at(-1)), body: bodyText ?? '' };
      }),
    );
    expect(told.sort((a, b) => a.n - b.n)).toEqual(sent.map(({ body }, n) => ({ n, body })));
  },
);

unless(test, ofOneServer('its connections'))(
  'a connection has 32 requests under way, and a client that sends more waits',
  async ({ mailcap, mailbox }) => {
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${mailcap.apiKey}\r\n\r\n`;
    const wait = `/v1/mailboxes/${mailbox.id}/messages/await?timeout=60&subject=mail-`;
    const waits = async () => (await json<unknown[]>(mailcap.api('/_mailcap/waits'))).length;
    const socket = await open(mailcap);
    let answers = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text;
    });
    const sent = MOST_IN_CONNECTION + 5;
    socket.write(Array.from({ length: sent }, (_, n) => head(wait + n)).join(''));
    await expect.poll(waits).toBe(MOST_IN_CONNECTION);
    expect(answers).toBe('');
    await Promise.all(Array.from({ length: sent }, (_, n) => putMail(mailcap, mailbox.id, { Subject: `mail-${n}` })));
    await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length).toBe(sent);
    expect(await waits()).toBe(0);
  },
);

test('a connection that leaves HTTP keeps the bytes behind the head', async ({ mailcap }) => {
  const socket = await open(mailcap);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  const head = [
    'GET /_mailcap/feed HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  ].join('\r\n');
  // A masked close frame, which the server answers with one that closes the connection.
  socket.write(Buffer.from(`${head}\x88\x80\x00\x00\x00\x00`, 'latin1'));
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 101 [\s\S]*\x88/);
});
