import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { json, type Summary } from '../http/support.ts';
import type { TestServer } from '../support/mailcap.ts';

/** A message as the cloud API shows it, with its facts and its bytes. */
export interface Detail {
  readonly [field: string]: unknown;
  readonly raw: string;
  readonly facts: {
    readonly id: string;
    readonly transcript: readonly string[];
    readonly provider: { readonly name: string; readonly id: string } | null;
  };
}

/** Lists the messages of a mailbox, the newest first. */
export async function messagesOf(server: TestServer, mailboxId: string): Promise<readonly Summary[]> {
  return json<Summary[]>(server.api(`/v1/mailboxes/${mailboxId}/messages`));
}

export async function detailOf(server: TestServer, mailboxId: string, id: string): Promise<Detail> {
  const detail = await json<object>(server.api(`/v1/mailboxes/${mailboxId}/messages/${id}`));
  const facts = await json<Detail['facts']>(server.api(`/_mailcap/messages/${id}`));
  const raw = await (await server.api(`/_mailcap/messages/${id}/raw`)).text();
  return { ...detail, facts, raw };
}

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

/** Starts the app that gets events. `statusOf` returns the status for the request of a number, from 1. */
export async function receiver(statusOf: (number: number) => number = () => 200) {
  const requests: Received[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const bytes = Buffer.concat(chunks);
      requests.push({ url: req.url ?? '', headers: req.headers, body: bytes.toString('utf8'), bytes });
      res.writeHead(statusOf(requests.length)).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    requests,
    /** Waits until so many requests have come. */
    received: (count: number) => expect.poll(() => requests.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the one message of a mailbox. */
export async function theOnly(server: TestServer, mailboxId: string): Promise<Detail> {
  const [only, ...others] = await messagesOf(server, mailboxId);
  expect(others).toEqual([]);
  return detailOf(server, mailboxId, only?.id ?? 'none');
}
