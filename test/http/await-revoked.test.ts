import { expect } from 'vitest';
import type { MailboxId } from '../../src/domain/ids.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer, test } from '../support/mailcap.ts';
import { json, putMail } from './support.ts';

test('a key that is revoked while its await waits gets 401 at once', async ({ mailcap }) => {
  const made = await mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/keys`, { json: { name: 'short-lived' } });
  const { id, key } = (await made.json()) as { id: string; key: string }; // the contract gives this type
  const waiting = mailcap.api(`/v1/mailboxes/${mailcap.mailboxId}/messages/await?subject=secret&timeout=30`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await expect.poll(() => mailcap.ctx.waiters.size).toBe(1);
  await mailcap.api(`/_mailcap/keys/${id}`, { method: 'DELETE' });
  // The revocation ends the await at once. No message would wake it, and its timeout is far away.
  expect((await waiting).status).toBe(401);
  expect(mailcap.ctx.waiters.size).toBe(0);
});

test('a key that is revoked while its await still reads what is there gets 401 at once', async () => {
  const store = memoryStore();
  await using server = await startServer({ overrides: { store } });
  const made = await server.api(`/_mailcap/workspaces/${server.workspaceId}/keys`, { json: { name: 'short-lived' } });
  const { id, key } = (await made.json()) as { id: string; key: string }; // the contract gives this type
  const { lastId } = store.read.messages;
  let goOn = () => {};
  const read = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  Object.assign(store.read.messages, {
    lastId: async (mailboxId: MailboxId) => {
      await read;
      return lastId(mailboxId);
    },
  });
  const waiting = server.api(`/v1/mailboxes/${server.mailboxId}/messages/await?subject=secret&timeout=60`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await expect.poll(() => server.ctx.waiters.size).toBe(1);
  await server.api(`/_mailcap/keys/${id}`, { method: 'DELETE' });
  goOn();
  const startedAt = performance.now();
  expect((await waiting).status).toBe(401);
  // Its timeout is a minute, and the time is told whatever the machine has to do beside it.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('a reset revokes no seeded key: the key keeps its id, and its await continues', async () => {
  await using server = await startServer();
  const keys = () => json<{ id: string }[]>(server.api(`/_mailcap/workspaces/${server.workspaceId}/keys`));
  const before = await keys();
  const waiting = server.api(`/v1/mailboxes/${server.mailboxId}/messages/await?subject=after&timeout=30`);
  await expect.poll(() => server.ctx.waiters.size).toBe(1);
  await server.api('/_mailcap/reset', { method: 'POST' });
  expect(await keys()).toEqual(before);
  const { id } = await putMail(server, server.mailboxId, { Subject: 'after the reset' });
  expect(await json(waiting)).toMatchObject({ id });
});
