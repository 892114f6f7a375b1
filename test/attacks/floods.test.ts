import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Served } from '../faults/served.ts';
import { attacked, serveForAll } from './attacked.ts';

const served = serveForAll();

const UNAUTHORIZED = 'GET /v1/mailboxes HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** A wait, for as long as the API allows. */
const wait = ({ ready }: Served) =>
  [
    `GET /v1/mailboxes/${ready.mailboxId}/messages/await?timeout=60 HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${ready.apiKey}`,
    '\r\n',
  ].join('\r\n');

/** Opens a connection and gets one answer, of which only the beginning is read. */
async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(served().ready.url).port), '127.0.0.1').on('error', () => {});
  socket.write(UNAUTHORIZED);
  await once(socket, 'readable');
  return socket;
}

test.each([
  ['40 connections that pipeline 10,000 401s each, unread', 40, 10_000, () => UNAUTHORIZED],
  ['1,500 connections that pipeline 1,000 401s each, unread', 1_500, 1_000, () => UNAUTHORIZED],
  ['20 connections that pipeline 10,000 awaits each', 20, 10_000, wait],
  ['40 connections that pipeline 10,000 malformed heads each', 40, 10_000, () => 'GET /x HTTP/1.1\r\n\r\n'],
  [
    '40 connections that pipeline 5,000 small chunked bodies each',
    ...([40, 5_000] as const),
    () => 'POST /v1/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  ],
])('%s keep nobody waiting', async (what, connections, times, request) => {
  const sockets: Socket[] = [];
  try {
    while (sockets.length < connections) sockets.push(...(await Promise.all(Array.from({ length: 20 }, open))));
    await attacked(served(), what, async () => {
      const bytes = Buffer.from(request(served()).repeat(times));
      for (const socket of sockets) socket.write(bytes);
      for (let n = 0; n < 50; n++) expect(await served().get('/v1/mailboxes')).toHaveLength(1);
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
