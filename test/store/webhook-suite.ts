import { expect, test } from 'vitest';
import { deleteWebhook } from '../../src/actions/webhooks.ts';
import { createIds, nodeRandom, systemClock } from '../../src/adapters/system.ts';
import { type CapturedRequest, heldBytes } from '../../src/domain/captured-request.ts';
import { type IdempotencyRecord, traceOf } from '../../src/domain/idempotency.ts';
import type { CapturedRequestId, WebhookId, WorkspaceId } from '../../src/domain/ids.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import type { Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aPlace, NOON, ulidAt } from './rows.ts';

export function aWebhook(workspaceId: WorkspaceId, over: Partial<Webhook> = {}): Webhook {
  const id = ulidAt<WebhookId>(NOON);
  return {
    id,
    workspaceId,
    name: null,
    key: `key-${id}`,
    responseStatus: 200,
    responseContentType: null,
    responseBody: '',
    forwardMode: 'off',
    forwardUrl: null,
    retentionDays: 3,
    createdAt: NOON,
    ...over,
  };
}

/** Stores a captured request and resolves when it is durable. */
export async function capture(
  store: Store,
  webhook: Webhook,
  body: string | null = 'body',
  over: Partial<CapturedRequest> = {},
): Promise<CapturedRequest> {
  const headers = await store.blobs.put(Buffer.from('[["a","b"]]'));
  const bytes = body === null ? null : await store.blobs.put(Buffer.from(body));
  const request: CapturedRequest = {
    id: ulidAt<CapturedRequestId>(over.receivedAt ?? NOON),
    workspaceId: webhook.workspaceId,
    webhookId: webhook.id,
    receivedAt: NOON,
    method: 'POST',
    path: '/',
    query: null,
    contentType: null,
    sizeBytes: body?.length ?? 0,
    headerBytes: 0,
    sourceIp: null,
    responseStatus: 200,
    forwardStatus: 'none',
    forwardAttempts: 0,
    forwardedAt: null,
    forwardHttpStatus: null,
    forwardError: null,
    forwardResponse: null,
    nextForwardAt: null,
    headers,
    body: bytes,
    ...over,
  };
  await store.transaction((tx) => tx.requests.insert(request));
  return request;
}

async function aHook(store: Store, over: Partial<Webhook> = {}): Promise<Webhook> {
  const { workspace } = await aPlace(store);
  const webhook = aWebhook(workspace.id, over);
  await store.transaction((tx) => tx.webhooks.insert(webhook, 1));
  return webhook;
}

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Specifies how a Store handles webhooks and captured requests. */
export function webhookSuite(current: () => Store): void {
  test('a webhook is found by its key; one more than the plan has is hook_limit_reached', async () => {
    const store = current();
    const webhook = await aHook(store);
    expect(await store.read.webhooks.byKey(webhook.key)).toEqual(webhook);
    expect(await store.read.webhooks.byKey('other')).toBeNull();
    const second = aWebhook(webhook.workspaceId);
    await expect(store.transaction((tx) => tx.webhooks.insert(second, 1))).rejects.toMatchObject({
      code: 'hook_limit_reached',
      extra: { limit: 1 },
    });
    expect(await store.read.webhooks.list(webhook.workspaceId)).toEqual([webhook]);
  });

  test('captured requests are paged newest first, and counted without those past their retention', async () => {
    const store = current();
    const webhook = await aHook(store, { retentionDays: 1 });
    const old = await capture(store, webhook, 'x', { receivedAt: NOON - 2 * DAY_MS });
    const kept: CapturedRequest[] = [];
    for (let i = 0; i < 5; i++) kept.unshift(await capture(store, webhook));
    const page = (number: number) => store.read.requests.page(webhook.id, { page: number, pageSize: 2, now: at(NOON) });
    expect(ids(await page(1))).toEqual(ids(kept.slice(0, 2)));
    expect(ids(await page(3))).toEqual(ids(kept.slice(4)));
    expect(await page(4)).toEqual([]);
    expect(await store.read.requests.count(webhook.id, at(NOON))).toBe(5);
    expect(await store.read.requests.get(old.id, at(NOON))).toBeNull();
    expect(await store.transaction((tx) => tx.requests.removeExpired(webhook.id, at(NOON), 10))).toBe(1);
    expect(await store.read.requests.count(webhook.id, at(NOON - 2 * DAY_MS))).toBe(5);
    expect(await store.read.webhooks.lastRequestAt(webhook.id)).toBe(NOON);
  });

  test('the bytes of requests are counted for each webhook and in total when one comes, changes or is removed', async () => {
    const store = current();
    const [webhook, other] = [await aHook(store), await aHook(store)];
    const held = (one: Webhook) => store.read.requests.heldBytes(one.id);
    const all = async () => (await store.read.counts()).capturedBytes;
    const sum = (...rows: readonly CapturedRequest[]) => rows.reduce((total, row) => total + heldBytes(row), 0);
    expect(await store.read.requests.largestHolder()).toBeNull();
    const rows = [];
    for (let i = 0; i < 3; i++) rows.push(await capture(store, webhook, 'x'.repeat(i), { headerBytes: 11 }));
    const foreign = await capture(store, other, 'y'.repeat(5_000), { path: '/long'.repeat(100) });
    expect(await held(webhook)).toBe(sum(...rows));
    expect(await held(other)).toBe(sum(foreign));
    expect(await all()).toBe(sum(...rows, foreign));
    expect(await store.read.requests.largestHolder()).toBe(webhook.id);

    const [first, ...rest] = rows as [CapturedRequest, ...CapturedRequest[]]; // three were captured
    const answered = await store.transaction((tx) => tx.requests.update(first.id, { forwardResponseBytes: 700 }));
    expect(await held(webhook)).toBe(sum(first, ...rest) + 700);
    expect(answered?.forwardResponseBytes).toBe(700);
    await expect(
      store.transaction(async (tx) => {
        await tx.requests.removeAll(webhook.id);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await held(webhook)).toBe(sum(first, ...rest) + 700);
    await store.transaction((tx) => tx.requests.removeAll(webhook.id));
    expect(await held(webhook)).toBe(0);
    expect(await all()).toBe(sum(foreign));
    await store.transaction((tx) => tx.webhooks.remove(other.id));
    expect(await all()).toBe(0);
    expect(await store.read.requests.largestHolder()).toBeNull();
  });

  test('trimming removes the oldest requests until the bytes are free or the limit is reached', async () => {
    const store = current();
    const [webhook, other] = [await aHook(store), await aHook(store)];
    const rows: CapturedRequest[] = [];
    for (let i = 0; i < 6; i++) rows.push(await capture(store, webhook, `body ${i}`));
    const stays = await capture(store, other, 'stayed');
    const each = heldBytes(stays);
    const trim = (bytes: number, limit: number) =>
      store.transaction((tx) => tx.requests.trim(webhook.id, bytes, limit));
    expect(await store.read.requests.trimmed(webhook.id)).toBeNull();
    expect(await trim(each + 1, 10)).toEqual({ count: 2, upTo: rows[1]?.id });
    expect(await trim(100 * each, 1)).toEqual({ count: 1, upTo: rows[2]?.id });
    expect(await store.read.requests.trimmed(webhook.id)).toEqual({ count: 3, upTo: rows[2]?.id });
    const page = await store.read.requests.page(webhook.id, { page: 1, pageSize: 10, now: at(NOON) });
    expect(ids(page)).toEqual(ids(rows.slice(3).reverse()));
    // A later capture keeps what is known of the ones that went.
    rows.push(await capture(store, webhook));
    expect(await store.read.requests.trimmed(webhook.id)).toEqual({ count: 3, upTo: rows[2]?.id });
    expect(await trim(100 * each, 10)).toEqual({ count: 4, upTo: rows[6]?.id });
    expect(await trim(1, 10)).toBeNull();
    expect(await store.read.requests.heldBytes(webhook.id)).toBe(0);
    expect(await store.read.requests.heldBytes(other.id)).toBe(each);
    if (stays.body !== null) expect(String(await store.blobs.read(stays.body))).toBe('stayed');
  });

  test('clearing a webhook removes only its requests and their bytes, and keeps the webhook', async () => {
    const store = current();
    const [webhook, other] = [await aHook(store), await aHook(store)];
    const gone = await capture(store, webhook, 'gone');
    const stays = await capture(store, other, 'stays');
    expect(await store.transaction((tx) => tx.requests.removeAll(webhook.id))).toBe(1);
    expect(await store.read.requests.get(gone.id, at(NOON))).toBeNull();
    expect(await store.read.requests.get(stays.id, at(NOON))).toEqual(stays);
    expect(await store.read.webhooks.get(webhook.id)).toEqual(webhook);
    if (stays.body !== null) expect(String(await store.blobs.read(stays.body))).toBe('stays');
  });

  test('removing a webhook removes its requests and scripted answers, and its key is unknown at once', async () => {
    const store = current();
    const webhook = await aHook(store);
    const request = await capture(store, webhook);
    await store.transaction((tx) => tx.webhooks.setResponses(webhook.id, [{ drop: true, delayMs: 0 }]));
    await store.transaction((tx) => tx.webhooks.remove(webhook.id));
    expect(await store.read.webhooks.byKey(webhook.key)).toBeNull();
    expect(await store.read.requests.get(request.id, at(NOON))).toBeNull();
    expect(await store.read.webhooks.responses(webhook.id)).toEqual([]);
  });

  test('scripted answers are used one by one, in order', async () => {
    const store = current();
    const webhook = await aHook(store);
    const script = [500, 503].map((status) => ({ status, headers: {}, body: '', delayMs: 0 }));
    await store.transaction((tx) => tx.webhooks.setResponses(webhook.id, script));
    const take = () => store.transaction((tx) => tx.webhooks.takeResponse(webhook.id));
    expect(await take()).toEqual(script[0]);
    expect(await store.read.webhooks.responses(webhook.id)).toEqual(script.slice(1));
    expect(await take()).toEqual(script[1]);
    expect(await take()).toBeNull();
  });

  test('requests whose forwarding is pending are listed, oldest first, until it is not', async () => {
    const store = current();
    const webhook = await aHook(store);
    await capture(store, webhook);
    const first = await capture(store, webhook, 'a', { forwardStatus: 'pending' });
    const second = await capture(store, webhook, null, { forwardStatus: 'pending' });
    expect(ids(await store.read.requests.pending(null, 10))).toEqual([first.id, second.id]);
    expect(ids(await store.read.requests.pending(first.id, 10))).toEqual([second.id]);
    const forwardResponse = await store.blobs.put(Buffer.from('done'));
    const updated = await store.transaction((tx) =>
      tx.requests.update(first.id, { forwardStatus: 'delivered', forwardResponse }),
    );
    expect(updated).toEqual({ ...first, forwardStatus: 'delivered', forwardResponse });
    expect(ids(await store.read.requests.pending(null, 10))).toEqual([second.id]);
    for (const [ref, text] of [
      [updated?.forwardResponse, 'done'],
      [updated?.body, 'a'],
    ] as const)
      if (ref) expect(String(await store.blobs.read(ref))).toBe(text);
  });

  test('deleting a webhook empties the texts of the answer that created it, and of no other', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const [deleted, kept] = [aWebhook(workspace.id), aWebhook(workspace.id)];
    const recordOf = ({ id }: Webhook): IdempotencyRecord => ({
      id: `answer ${id}`,
      workspaceId: workspace.id,
      status: 201,
      body: JSON.stringify({ id, name: 'confidential', responseStatus: 200 }),
      headers: {},
      bodyHash: '',
      createdAt: NOON,
      storedAt: NOON,
      resourceId: id,
    });
    await store.transaction(async (tx) => {
      for (const hook of [deleted, kept]) {
        await tx.webhooks.insert(hook, 10);
        await tx.idempotency.put(recordOf(hook));
        await tx.idempotency.put(traceOf(recordOf(hook), hook.id));
      }
    });
    const ctx = { clock: systemClock(), ids: createIds(nodeRandom) };
    await store.transaction((tx) => deleteWebhook(ctx, tx, deleted));
    const answer = await store.read.idempotency.get(recordOf(deleted).id);
    expect(answer).toEqual({
      ...recordOf(deleted),
      body: JSON.stringify({ id: deleted.id, name: '', responseStatus: 200 }),
    });
    expect(await store.read.idempotency.get(recordOf(kept).id)).toEqual(recordOf(kept));
    expect(await store.read.webhooks.get(deleted.id)).toBeNull();
  });
}
