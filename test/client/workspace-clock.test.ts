import { expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { addWorkspace, putMail } from '../http/support.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { asCloud, startProxy } from '../support/proxy.ts';

const MONTH = 30 * 86_400;

async function clientWithWorkspace(server: TestServer): Promise<{ client: Client; workspaceId: string }> {
  const { id, key } = await addWorkspace(server);
  return { client: createClient({ baseUrl: server.url, apiKey: key, workspaceId: id }), workspaceId: id };
}

test('setClock moves the time of the client’s workspace: its mail, its codes and its waits, and no other', async () => {
  await using server = await startServer();
  const [mine, neighbour] = [await clientWithWorkspace(server), await clientWithWorkspace(server)];
  const [own, theirs] = [await mine.client.mailbox(), await neighbour.client.mailbox()];
  for (const { id } of [own, theirs]) await putMail(server, id, { Subject: 'Welcome' });
  expect((await mine.client.setClock({ offsetSeconds: MONTH })).offsetSeconds).toBe(MONTH);
  expect(await own.messages()).toHaveLength(0);
  expect(await theirs.messages()).toHaveLength(1);
  expect((await neighbour.client.local.getWorkspaceClock(neighbour.workspaceId)).offsetSeconds).toBe(0);
  expect((await mine.client.local.getClock()).offsetSeconds).toBe(0);

  const waiting = own.waitForMessage({ subject: 'reminder' });
  await putMail(server, own.id, { Subject: 'Your reminder' });
  expect((await waiting).receivedAt.getTime() - Date.now()).toBeGreaterThan(MONTH * 1_000 - 60_000);

  // The second step of the secret of RFC 6238, appendix B.
  await mine.client.setClock({ now: '1970-01-01T00:00:31Z' });
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(await mine.client.authenticator({ secret, digits: 8 }).code({ unique: 'none' })).toBe('94287082');
  expect(await neighbour.client.authenticator({ secret, digits: 8 }).code({ unique: 'none' })).not.toBe('94287082');

  await mine.client.setClock(null);
  expect((await own.messages()).map(({ subject }) => subject)).toEqual(['Welcome', 'Your reminder']);
});

test('a wait sees mail that comes after the clock was set back, although its time is earlier than that of mail it has seen', async () => {
  await using server = await startServer();
  const { client } = await clientWithWorkspace(server);
  const mailbox = await client.mailbox();
  await putMail(server, mailbox.id, { Subject: 'first' });
  await mailbox.waitForMessage({ subject: 'first' });
  for (const [at, offsetSeconds] of [MONTH, 0, -3_600].entries()) {
    await client.setClock({ offsetSeconds });
    const waiting = mailbox.waitForMessage({ subject: `number ${at}` }, { timeout: 30_000 });
    await expect.poll(() => server.ctx.waiters.size).toBe(1);
    // Longer than a wait looks for messages that come late.
    await server.ctx.clock.sleep(1_200);
    await putMail(server, mailbox.id, { Subject: `number ${at}` });
    const putAt = performance.now();
    expect((await waiting).subject).toBe(`number ${at}`);
    // A wait that the server does not answer finds it at its end.
    expect(performance.now() - putAt).toBeLessThan(15_000);
  }
});

test('the pauses of a webhook follow the clock of the client’s workspace', async () => {
  await using server = await startServer();
  const { client } = await clientWithWorkspace(server);
  const webhook = await client.webhook();
  await webhook.respond([{ status: 500 }, { status: 503 }, { status: 200 }]);
  const delivery = await client.sendWebhook(webhook.url, {
    event: 'orders/paid',
    secret: 'hush',
    retries: true,
    onTry: async ({ nextAt }) => {
      if (nextAt !== null) await client.setClock({ now: nextAt.toISOString() });
    },
  });
  expect(delivery.tries.map(({ status }) => status)).toEqual([500, 503, 200]);
  expect((await client.local.getClock()).offsetSeconds).toBe(0);
});

test('the cloud has no clock to set', async () => {
  await using server = await startServer();
  await using cloud = await startProxy(server.url, asCloud);
  const client = createClient({ baseUrl: cloud.url, apiKey: server.apiKey });
  await expect(client.setClock({ offsetSeconds: 1 })).rejects.toMatchObject({ name: 'LocalOnlyError' });
});
