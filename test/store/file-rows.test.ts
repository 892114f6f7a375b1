import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CapturedRequest } from '../../src/domain/captured-request.ts';
import type { EventId } from '../../src/domain/ids.ts';
import { at } from '../support/moment.ts';
import { bytesIn, logFiles, newDirectory, open, picture, SMALL } from './directory.ts';
import { aSend } from './outbound-suite.ts';
import { aPlace, deliver, NOON, ulidAt } from './rows.ts';
import { aWebhook, capture } from './webhook-suite.ts';

const everything = (directory: string) =>
  logFiles(directory)
    .map((path) => readFileSync(path, 'latin1'))
    .join('');

test('captured requests, sends and events survive reopening and reclaiming, with their bytes', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { mailbox, workspace } = await aPlace(store);
  const [webhook, noise] = [aWebhook(workspace.id), aWebhook(workspace.id)];
  await store.transaction(async (tx) => {
    for (const hook of [webhook, noise]) await tx.webhooks.insert(hook, 10);
  });
  for (let i = 0; i < 30; i++) {
    await capture(store, webhook, i % 2 === 0 ? `kept ${i}` : null, { forwardStatus: 'pending' });
    await aSend(store, await deliver(store, mailbox));
    for (let j = 0; j < 4; j++) await capture(store, noise, 'x'.repeat(2_000));
    await store.transaction((tx) =>
      tx.events.insert({ id: ulidAt<EventId>(NOON), type: 'reset', at: NOON, workspaceId: null, data: {} }),
    );
  }
  await store.transaction((tx) => tx.requests.removeAll(noise.id));
  const full = bytesIn(directory);
  const before = await picture(store);
  const told = await store.read.events.list({ after: null, limit: 1_000, now: at(NOON) });
  expect(told).toHaveLength(90);
  for (let i = 0; i < 3; i++) await store.reclaim();
  expect(bytesIn(directory)).toBeLessThan(full * 0.4);
  expect(await picture(store)).toEqual(before);
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  expect(await picture(store)).toEqual(before);
  const again = await store.read.events.list({ after: null, limit: 1_000, now: at(NOON) });
  expect(again.map(({ kind }) => kind)).toEqual(told.map(({ kind }) => kind));
  expect(await store.read.requests.pending(null, 100)).toHaveLength(30);
  expect(await store.read.sends.pending(null, 100)).toHaveLength(30);
  await store.close();
});

test('a row that changes while its segment is reclaimed keeps the change and its bytes', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { workspace } = await aPlace(store);
  const [webhook, noise] = [aWebhook(workspace.id), aWebhook(workspace.id)];
  await store.transaction(async (tx) => {
    for (const hook of [webhook, noise]) await tx.webhooks.insert(hook, 10);
  });
  const rows: CapturedRequest[] = [];
  for (let i = 0; i < 40; i++) {
    rows.push(await capture(store, webhook, `body ${i}`));
    await capture(store, noise, 'x'.repeat(2_000));
  }
  await store.transaction((tx) => tx.requests.removeAll(noise.id));
  // These updates come from callers that read the rows before they moved, and they run while the rows move.
  const updates = rows.map(async ({ id }, i) => {
    const forwardResponse = await store.blobs.put(Buffer.from(`answer ${i}`));
    await store.transaction((tx) => tx.requests.update(id, { forwardStatus: 'delivered', forwardResponse }));
  });
  await Promise.all([store.reclaim(), ...updates]);
  await store.reclaim();
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  const page = await store.read.requests.page(webhook.id, { page: 1, pageSize: 100, now: at(NOON) });
  const texts = await Promise.all(
    page.map(async ({ body, forwardResponse }) =>
      Promise.all(
        [body, forwardResponse].map(async (ref) => (ref === null ? null : String(await store.blobs.read(ref)))),
      ),
    ),
  );
  expect(texts.reverse()).toEqual(rows.map((_, i) => [`body ${i}`, `answer ${i}`]));
  await store.close();
});

test('captured bodies leave the disk when they are cleared, and a send’s bytes when it is settled', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox, workspace } = await aPlace(store);
  const webhook = aWebhook(workspace.id);
  await store.transaction((tx) => tx.webhooks.insert(webhook, 10));
  await capture(store, webhook, 'the-secret-of-a-hook');
  await store.transaction((tx) => tx.requests.removeAll(webhook.id));
  await store.reclaim();
  expect(everything(directory)).not.toContain('the-secret-of-a-hook');

  const message = await deliver(store, mailbox, Buffer.from('the-secret-of-a-send'));
  const send = await aSend(store, message);
  await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await store.reclaim();
  expect(everything(directory)).toContain('the-secret-of-a-send');
  await store.transaction((tx) => tx.sends.update(send.id, { raw: null }));
  for (let i = 0; i < 10; i++) await deliver(store, mailbox, Buffer.alloc(300_000));
  await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await store.reclaim();
  expect(everything(directory)).not.toContain('the-secret-of-a-send');
  await store.close();
});

test('the bytes of an answer that was replaced leave the disk at the next reclaim', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { workspace } = await aPlace(store);
  const times = { createdAt: NOON, storedAt: NOON };
  const record = { id: 'a', workspaceId: workspace.id, status: 201, headers: {}, bodyHash: '', ...times };
  await store.transaction((tx) => tx.idempotency.put({ ...record, body: '{"id":"h","name":"confidential"}' }));
  await aPlace(store);
  expect(everything(directory)).toContain('confidential');
  await store.transaction((tx) => tx.idempotency.put({ ...record, body: '{"id":"h"}' }));
  await store.reclaim();
  expect(everything(directory)).not.toContain('confidential');
  await store.close();
});
