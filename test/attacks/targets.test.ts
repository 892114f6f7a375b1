import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listedIn, s3Storage } from '../../src/adapters/s3-storage.ts';
import { smtpRelay } from '../../src/adapters/smtp-relay.ts';
import { attacked, serveForAll } from './attacked.ts';

/** More than any bound, so that a connection that took it all was not cut off. */
const FLOOD_BYTES = 64 * 1024 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\n';

const served = serveForAll();

interface Scripted {
  readonly url: string;
  /** The bytes that the peer took of the longest flood. */
  taken(): number;
}

/** A server that answers each request with `head`, and then with `repeated` until the peer hangs up. */
async function scripted(head: string, repeated = ''): Promise<Scripted> {
  const block = Buffer.from(repeated.repeat(Math.ceil((64 * 1024) / Math.max(1, repeated.length))));
  let most = 0;
  const flood = (socket: Socket): void => {
    socket.write(head);
    if (repeated === '') return;
    const more = (): void => {
      most = Math.max(most, socket.bytesWritten - socket.writableLength);
      while (!socket.destroyed && socket.bytesWritten < FLOOD_BYTES) if (!socket.write(block)) return;
      socket.end();
    };
    socket.on('drain', more);
    more();
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (bytes.includes('\r\n\r\n')) flood(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return { url: `http://127.0.0.1:${port}`, taken: () => most };
}

interface Forwarded {
  readonly forwardHttpStatus: number | null;
  readonly forwardError: string | null;
}

const auth = () => ({ authorization: `Bearer ${served().ready.apiKey}`, 'content-type': 'application/json' });

/** Captures a request that is forwarded to the target, and returns it. */
async function forwarded(target: Scripted): Promise<Forwarded> {
  const made = await fetch(`${served().ready.apiUrl}/webhooks`, {
    method: 'POST',
    headers: auth(),
    body: JSON.stringify({ forwardMode: 'sync', forwardUrl: `${target.url}/` }),
  });
  expect(made.status).toBe(201);
  const { id, key } = (await made.json()) as { id: string; key: string }; // the API document's WebhookResponse
  await (await fetch(`${served().ready.webhookBaseUrl}/${key}`)).arrayBuffer();
  // The capture is answered once its only attempt is over.
  const { items } = await served().get<{ items: { id: string }[] }>(`/v1/webhooks/${id}/requests`);
  const request = await served().get<Forwarded>(`/v1/webhooks/requests/${items[0]?.id}`);
  await fetch(`${served().ready.apiUrl}/webhooks/${id}`, { method: 'DELETE', headers: auth() });
  return request;
}

// It comes first: the first forward of a server loads the client for HTTP, which no attack shall be charged with.
test('an interim answer that nobody asked for is skipped', async () => {
  const target = await scripted(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\nhi',
  );
  expect(await forwarded(target)).toMatchObject({ forwardHttpStatus: 418 });
});

test.each([
  ['trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`, 'a: b\r\n'],
  ['chunk extensions', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1`, ';a=bcdefg'],
  ['chunks of one byte', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
  ['a head without end', HEAD, 'a: b\r\n'],
  ['103s', '', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
  ['a 103 without end', 'HTTP/1.1 103 Early Hints\r\n', 'a: b\r\n'],
])('a forward target that floods with %s is cut off', async (what, head, repeated) => {
  const target = await scripted(head, repeated);
  await attacked(served(), `a forward target floods with ${what}`, () => forwarded(target));
  // What the two kernels hold between the sockets counts as taken.
  expect(target.taken()).toBeLessThan(FLOOD_BYTES / 2);
});

// The second bound of a head, and of trailers, is undici's.
test.each([
  ['a body', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${'x'.repeat(65_536)}\r\n`],
  ['trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`, 'a: b\r\n'],
])('a storage that floods with %s is cut off', async (_, head, repeated) => {
  const target = await scripted(head, repeated);
  const storage = await s3Storage({
    ...{ endpoint: target.url, url: target.url, region: 'x', bucket: 'b', prefix: '' },
    ...{ accessKeyId: 'a', secretAccessKey: 's', sessionToken: null },
  });
  for (const act of [() => storage.get('a'), () => storage.put('a', Buffer.from('x'))])
    await expect(act()).rejects.toThrow(/longer than \d+ KiB|Headers Overflow/);
  expect(target.taken()).toBeLessThan(FLOOD_BYTES / 2);
});

test.each([
  ['a line without end', 'x'],
  ['a reply of lines without end', '250-x\r\n'],
])('a relay that floods with %s is cut off', async (_, repeated) => {
  const block = Buffer.from(repeated.repeat(16_384));
  let taken = 0;
  let tellClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('close', tellClosed);
    const more = (): void => {
      taken = Math.max(taken, socket.bytesWritten - socket.writableLength);
      while (!socket.destroyed && socket.bytesWritten < FLOOD_BYTES) if (!socket.write(block)) return;
      socket.end();
    };
    socket.on('drain', more);
    socket.write('220-relay\r\n');
    more();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  const relay = smtpRelay(`smtp://127.0.0.1:${port}`);
  onTestFinished(() => {
    relay.close();
    server.close();
  });
  const outcomes = await relay.send(
    {
      from: 'a@x.test',
      recipients: ['b@x.test'],
      raw: async function* () {
        yield Buffer.from('Subject: x\r\n\r\n');
      },
      handOver: async () => {},
    },
    new AbortController().signal,
  );
  await closed;
  expect([...outcomes.values()].map(({ kind }) => kind)).not.toContain('accepted');
  expect(taken).toBeLessThan(FLOOD_BYTES / 2);
});

test('a list of a million beginnings without an end holds no object', () => {
  expect(listedIn('<Contents>'.repeat(1_000_000)).objects).toEqual([]);
});
