import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { attacked } from './attacked.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-floods-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Sends `bytes` without reading the answers, and resolves when the server has closed the connection. */
async function pour({ ready }: Served, bytes: string): Promise<void> {
  const socket = connect(Number(new URL(ready.url).port), '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
}

/** Claims that the server closes each connection of a crowd that pipelines and reads nothing. */
async function claimClosed(what: string, connections: number, bytes: (served: Served) => string): Promise<void> {
  const served = await serve(directory);
  try {
    await attacked(served, what, async () => {
      const flood = bytes(served);
      await Promise.all(Array.from({ length: connections }, () => pour(served, flood)));
    });
    expect(await served.messages()).toEqual([]);
  } finally {
    expect(await served.end('SIGTERM')).toBe(0);
  }
}

test('the server closes 10 connections that pipeline 10,000 refused requests each and read no answer', () =>
  claimClosed('10 connections of pipelined 401s, unread', 10, () =>
    'GET /v1/mailboxes HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10_000),
  ));

test('the server closes a connection that pipelines 50,000 awaits', () =>
  claimClosed('50,000 awaits pipelined on one connection', 1, ({ ready }) =>
    [
      `GET /v1/mailboxes/${ready.mailboxId}/messages/await?timeout=60 HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${ready.apiKey}`,
      '\r\n',
    ]
      .join('\r\n')
      .repeat(50_000),
  ));
