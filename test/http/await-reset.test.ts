import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { addHook } from './hooks.ts';
import { json, putMail } from './support.ts';

async function made(server: TestServer, path: string, body: object): Promise<{ id: string; key: string }> {
  return (await server.api(path, { json: body })).json() as Promise<{ id: string; key: string }>; // both have these fields
}

test('an await during a reset answers what a GET of its mailbox then answers, not a timeout', async () => {
  await using server = await startServer();
  const mailbox = await made(server, `/_mailcap/workspaces/${server.workspaceId}/mailboxes`, { name: 'sign-up' });
  const other = await made(server, `/_mailcap/workspaces/${server.workspaceId}/keys`, { name: 'ci' });
  const headers = { authorization: `Bearer ${other.key}` };
  const hook = await addHook(server);
  const paths = [
    [`/v1/mailboxes/${mailbox.id}/messages/await?timeout=30`, `/v1/mailboxes/${mailbox.id}`, {}],
    [`/v1/mailboxes/${mailbox.id}/messages/await?timeout=30`, `/v1/mailboxes/${mailbox.id}`, { headers }],
    [`/v1/mailboxes/${server.mailboxId}/messages/await?timeout=30`, `/v1/mailboxes/${server.mailboxId}`, { headers }],
    [`/_mailcap/mailboxes/${mailbox.id}/await?timeout=30`, `/v1/mailboxes/${mailbox.id}`, {}],
    [`/_mailcap/webhooks/${hook.id}/requests/await?timeout=30`, `/v1/webhooks/${hook.id}`, {}],
  ] as const;
  const waiting = paths.map(([path, , init]) => server.api(path, init));
  await expect.poll(() => server.ctx.waits.list().length).toBe(paths.length);
  await server.api('/_mailcap/reset', { method: 'POST' });
  for (const [at, [path, read, init]] of paths.entries()) {
    const [answer, then] = [await waiting[at], await server.api(read, init)];
    expect([path, answer?.status, await answer?.json()]).toEqual([path, then.status, await then.json()]);
    expect([401, 404]).toContain(then.status);
  }
});

test('an await of the seeded mailbox continues after a reset', async () => {
  await using server = await startServer();
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_600 } });
  const path = `/v1/mailboxes/${server.mailboxId}/messages/await?subject=after&timeout=30`;
  const local = `/_mailcap/mailboxes/${server.mailboxId}/await?subject=after&count=2&timeout=30`;
  await putMail(server, server.mailboxId, { Subject: 'after all, it is gone' });
  const waiting = server.api(path.replace('after', 'after%20the'));
  const both = server.api(local);
  await expect.poll(() => server.ctx.waits.list().length).toBe(2);
  await server.api('/_mailcap/reset', { method: 'POST' });
  const first = await putMail(server, server.mailboxId, { Subject: 'after the reset' });
  expect(await json(waiting)).toMatchObject({ id: first.id });
  const second = await putMail(server, server.mailboxId, { Subject: 'after the reset, again' });
  expect(await json<{ id: string }[]>(both)).toMatchObject([{ id: first.id }, { id: second.id }]);
});
