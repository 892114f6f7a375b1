import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { attacked } from './attacked.ts';

const MiB = 1024 * 1024;
/** Small quotas, so that a short flood is many times as large. */
const QUOTA = 16 * MiB;
const TOTAL = 32 * MiB;
const FLAGS = ['--capture-quota', '16MiB', '--capture-total', '32MiB'];
/**
 * What the disk may hold besides the captured requests, in bytes: removed ones that wait for the next reclaim (256 MiB at
 * most), and what arrives while it runs.
 */
const MOST_DISK = 448 * MiB;

interface Webhook {
  readonly id: string;
  readonly key: string;
  readonly capturedBytes: number;
  readonly requestCount: number;
  readonly trimmed: { readonly count: number; readonly upTo: string } | null;
}

interface Flooded extends Served {
  add(): Promise<Webhook>;
  look(hook: Webhook): Promise<Webhook>;
  /** The most bytes that the data directory had. */
  mostDisk(): number;
}

/** Starts a server with small quotas, and measures its directory until the test is over. */
async function flooded(...flags: string[]): Promise<Flooded> {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-captures-'));
  const served = await serve(directory, '--durability', 'os', ...FLAGS, ...flags);
  let most = 0;
  let isOver = false;
  const watch = (async () => {
    for (; !isOver; await pause(50)) most = Math.max(most, bytesIn(directory));
  })();
  onTestFinished(async () => {
    isOver = true;
    await watch;
    expect(await served.end('SIGTERM')).toBe(0);
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    ...served,
    add: async () => {
      const url = `${served.ready.url}/_mailcap/workspaces/${served.ready.workspaceId}/webhooks`;
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'open to all' }),
      });
      return (await response.json()) as Webhook; // docs/api.md#the-local-api
    },
    look: ({ id }) => served.get<Webhook>(`/_mailcap/webhooks/${id}`),
    mostDisk: () => most,
  };
}

function bytesIn(directory: string): number {
  let sum = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // A reclaim may remove the file meanwhile.
    sum += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}

/** Sends a request `times` times on one connection, the next one with each answer. */
async function repeat({ ready }: Served, request: Buffer, times: number): Promise<void> {
  const socket = connect(Number(new URL(ready.url).port), '127.0.0.1');
  let answers = '';
  let left = times;
  const done = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (bytes) => {
      answers += bytes.toString('latin1');
      if (!answers.includes('\r\n\r\n')) return;
      expect(answers).toMatch(/^HTTP\/1\.1 200 /);
      answers = '';
      if (--left > 0) socket.write(request);
      else socket.end(resolve);
    });
  });
  socket.write(request);
  await done;
}

const requestTo = ({ key }: Webhook, headers: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`POST /hooks/${key} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

test('a flood of large bodies leaves a webhook at its quota, and the disk bounded', async () => {
  const served = await flooded();
  const hook = await served.add();
  const request = requestTo(hook, '', Buffer.alloc(8 * MiB, 'x'));
  await attacked(served, '80 captures of 8 MiB on 4 connections', () =>
    Promise.all(Array.from({ length: 4 }, () => repeat(served, request, 20))),
  );
  const { capturedBytes, requestCount, trimmed } = await served.look(hook);
  expect(capturedBytes).toBeLessThanOrEqual(QUOTA);
  expect(requestCount).toBeGreaterThan(0);
  expect(trimmed?.count).toBe(80 - requestCount);
  expect(served.mostDisk()).toBeLessThan(MOST_DISK);
  expect(await served.get('/_mailcap/health')).toMatchObject({ captures: { trimmed: trimmed?.count, refused: 0 } });
});

test('a flood of tiny requests with many headers leaves a webhook at its quota', async () => {
  const served = await flooded();
  const hook = await served.add();
  const headers = Array.from({ length: 200 }, (_, at) => `x-${at}: ${'y'.repeat(50)}\r\n`).join('');
  const request = requestTo(hook, headers, Buffer.from('x'));
  await attacked(served, '3,000 captures of one byte with 200 headers', () =>
    Promise.all(Array.from({ length: 8 }, () => repeat(served, request, 375))),
  );
  const { capturedBytes, requestCount, trimmed } = await served.look(hook);
  expect(capturedBytes).toBeLessThanOrEqual(QUOTA);
  expect(trimmed?.count).toBe(3_000 - requestCount);
  expect(served.mostDisk()).toBeLessThan(MOST_DISK);
});

test('floods on many URLs leave what a quiet webhook captured', async () => {
  const served = await flooded();
  const quiet = await served.add();
  await repeat(served, requestTo(quiet, '', Buffer.from('kept')), 3);
  const hooks = await Promise.all(Array.from({ length: 4 }, () => served.add()));
  const body = Buffer.alloc(MiB, 'x');
  await attacked(served, '64 captures of 1 MiB on 4 URLs', () =>
    Promise.all(hooks.map((hook) => repeat(served, requestTo(hook, '', body), 16))),
  );
  expect(await served.look(quiet)).toMatchObject({ requestCount: 3, trimmed: null });
  const { counts } = await served.get<{ counts: { capturedBytes: number } }>('/_mailcap/info');
  expect(counts.capturedBytes).toBeLessThanOrEqual(TOTAL);
  expect(counts.capturedBytes).toBeGreaterThan(TOTAL / 2);
});

test('bodies that never end take no more than their share, and give way to one that does', async () => {
  const served = await flooded('--ephemeral');
  const hooks = await Promise.all(Array.from({ length: 8 }, () => served.add()));
  const endless = Buffer.alloc(10 * MiB - 1);
  const sockets = hooks.flatMap(({ key }) =>
    Array.from({ length: 10 }, () => {
      const socket = connect(Number(new URL(served.ready.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`POST /hooks/${key} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${endless.length + 1}\r\n\r\n`);
      socket.write(endless);
      return socket;
    }),
  );
  await attacked(served, '80 captures of 10 MiB that lack their last byte', async () => {
    // Each webhook lets one body in, as far as the share of the server goes. Nobody reads the others.
    await expect.poll(() => sockets.filter(({ writableLength }) => writableLength === 0).length).toBe(1);
    const hook = await served.add();
    await repeat(served, requestTo(hook, '', Buffer.from('small')), 3);
    expect(await served.look(hook)).toMatchObject({ requestCount: 3 });
  });
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
});
