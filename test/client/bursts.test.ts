import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient, type Mailbox } from '../../src/client/index.ts';
import { putMail } from '../http/support.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

// More messages than one page of a list arrive between the first look of a wait and its await.
const MANY = 120;
/** A busy machine takes long to put that many. What a wait is for comes within it. */
const PATIENT = { timeout: 180_000 };

let mailcap: TestServer;

beforeAll(async () => {
  mailcap = await startServer({ limits: 'off' });
});
afterAll(() => mailcap.close());

/** Creates a client that runs `happens` right before its first await at the server. */
function clientBeforeWhoseAwait(happens: () => Promise<void>): Client {
  let hasHappened = false;
  return createClient({
    baseUrl: mailcap.url,
    apiKey: mailcap.apiKey,
    workspaceId: mailcap.workspaceId,
    fetch: async (input, init) => {
      if (!hasHappened && String(input).includes('/await')) {
        hasHappened = true;
        await happens();
      }
      return fetch(input, init);
    },
  });
}

async function putMany({ id, address }: Mailbox): Promise<void> {
  await putMail(mailcap, id, { To: address, Subject: 'Target' });
  for (let i = 0; i < MANY; i++) await putMail(mailcap, id, { To: address, Subject: `Noise ${i}` });
}

test('a message under many others is found', async () => {
  const client = clientBeforeWhoseAwait(() => putMany(mailbox));
  const mailbox = await client.mailbox();
  await mailbox.waitForMessage({ where: ({ subject }) => subject === 'Target' }, PATIENT);
  expect(await mailbox.messages()).toHaveLength(MANY + 1);
}, 180_000);

test('expectNoMessage finds a message under many others', async () => {
  const client = clientBeforeWhoseAwait(() => putMany(mailbox));
  const mailbox = await client.mailbox();
  const watching = mailbox.expectNoMessage({ where: ({ subject }) => subject === 'Target' }, { for: PATIENT.timeout });
  await expect(watching).rejects.toMatchObject({ code: 'unexpected_message' });
}, 180_000);

test('a wait for many messages returns all, in the order of arrival', async () => {
  const client = clientBeforeWhoseAwait(() => putMany(mailbox));
  const mailbox = await client.mailbox();
  const messages = await mailbox.waitForMessages(MANY + 1, {}, PATIENT);
  expect(messages.map(({ subject }) => subject)).toEqual([
    'Target',
    ...Array.from({ length: MANY }, (_, i) => `Noise ${i}`),
  ]);
}, 180_000);

test('a request under many others is found', async () => {
  const client = clientBeforeWhoseAwait(async () => {
    for (const path of ['/target', ...Array.from({ length: MANY }, (_, i) => `/noise/${i}`)])
      await fetch(webhook.url + path, { method: 'POST' });
  });
  const webhook = await client.webhook();
  await webhook.waitForRequest({ path: '/target' }, PATIENT);
  expect(await webhook.requests()).toHaveLength(MANY + 1);
}, 180_000);
