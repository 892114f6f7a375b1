import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';

test('a key that is revoked while its await waits gets 401 at once', async ({ mailcap }) => {
  const made = await mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/keys`, { json: { name: 'short-lived' } });
  const { id, key } = (await made.json()) as { id: string; key: string }; // the contract's answer
  const waiting = mailcap.api(`/v1/mailboxes/${mailcap.mailboxId}/messages/await?subject=secret&timeout=30`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await expect.poll(() => mailcap.ctx.waiters.size).toBe(1);
  await mailcap.api(`/_mailcap/keys/${id}`, { method: 'DELETE' });
  // At once: nothing came that would wake it, and its time is far from up.
  expect((await waiting).status).toBe(401);
  expect(mailcap.ctx.waiters.size).toBe(0);
});
