import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../http/hooks.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

const waitsOf = async ({ url }: TestServer): Promise<unknown[]> =>
  (await (await fetch(`${url}/_mailcap/waits`)).json()) as unknown[]; // the API answers a list

/** Connects a client, and collects the methods it sends. */
async function connect(server: TestServer) {
  const sent: unknown[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    fetch: (url, init) => {
      if (typeof init?.body === 'string') sent.push((JSON.parse(init.body) as { method: unknown }).method); // JSON-RPC
      return fetch(url, init);
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, sent };
}

const WAIT = { name: 'wait_for_message', arguments: { subject: 'never', timeout: 50 } };

test('a wait that its client cancels ends at once, and no other client can cancel it', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const [one, other] = [await connect(server), await connect(server)];
  const [ending, staying] = [new AbortController(), new AbortController()];
  const cancelled = expect(one.client.callTool(WAIT, { signal: ending.signal })).rejects.toThrow();
  // Both calls have the same id, because clients count theirs.
  const kept = expect(other.client.callTool(WAIT, { signal: staying.signal })).rejects.toThrow();
  await eventually(
    () => waitsOf(server),
    (waits) => waits.length === 2,
  );
  const from = performance.now();
  ending.abort();
  await cancelled;
  await eventually(
    () => waitsOf(server),
    (waits) => waits.length === 1,
  );
  expect(one.sent).toContain('notifications/cancelled');
  staying.abort();
  await kept;
  await eventually(
    () => waitsOf(server),
    (waits) => waits.length === 0,
  );
  // The waits would end by themselves after 50 s.
  expect(performance.now() - from).toBeLessThan(30_000);
  expect((await one.client.listTools()).tools.length).toBeGreaterThan(5);
});
