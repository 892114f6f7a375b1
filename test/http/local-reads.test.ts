import { describe, expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addHook } from './hooks.ts';
import { addWorkspace, json, outcome, putMail } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
const NOWHERE = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';

test('GET workspaces/{id} returns the workspace as the list does; an unknown one is 404', async ({ mailcap }) => {
  const { id } = await addWorkspace(mailcap, { name: 'Read alone' });
  const listed = await json<{ id: string }[]>(mailcap.api('/_mailcap/workspaces'));
  const { status, body } = await outcome(mailcap.api(`/_mailcap/workspaces/${id}`));
  expect([status, body]).toEqual([200, listed.find((one) => one.id === id)]);
  expect(await outcome(mailcap.api(`/_mailcap/workspaces/${NOWHERE}`))).toEqual(NOT_FOUND);
});

test('GET mailboxes lists those of all workspaces, each with its address, counts and workspace', async ({
  mailcap,
}) => {
  const other = await addWorkspace(mailcap);
  const path = `/v1/workspaces/${other.id}/mailboxes`;
  const made = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Over all' }, headers: other.headers }));
  await putMail(mailcap, made.id);
  await putMail(mailcap, made.id);
  const all = await json<{ id: string }[]>(mailcap.api('/_mailcap/mailboxes'));
  expect(all).toContainEqual(expect.objectContaining({ id: mailcap.mailboxId, seeded: true }));
  const mine = all.find(({ id }) => id === made.id);
  expect(mine).toMatchObject({
    ...made,
    workspaceId: other.id,
    dailyInboundUsed: 2,
    address: '*@over-all.mailcap.example.com',
    messageCount: 2,
    allowlist: ['*.mailcap.example.com'],
    seeded: false,
  });
  expect(await json(mailcap.api(`/_mailcap/mailboxes/${made.id}`))).toEqual(mine);
  expect(await outcome(mailcap.api(`/_mailcap/mailboxes/${NOWHERE}`))).toEqual(NOT_FOUND);
});

test('GET mailboxes/{id}/latest returns the newest message, or 204 if there is none', async ({ mailcap, mailbox }) => {
  const path = `/_mailcap/mailboxes/${mailbox.id}/latest`;
  expect((await mailcap.api(path)).status).toBe(204);
  await putMail(mailcap, mailbox.id, { Subject: 'first' });
  const second = await putMail(mailcap, mailbox.id, { Subject: 'second' });
  expect(await outcome(mailcap.api(path))).toEqual({
    status: 200,
    body: { ...second, kind: 'email', copyKey: expect.any(String), read: false, starred: false, tags: [] },
  });
  expect(await outcome(mailcap.api(`/_mailcap/mailboxes/${NOWHERE}/latest`))).toEqual(NOT_FOUND);
});

test('GET workspaces/{id}/suppression lists what was added, on a plan without outbound too', async ({ mailcap }) => {
  const { id } = await addWorkspace(mailcap, { plan: 'free' });
  const path = `/_mailcap/workspaces/${id}/suppression`;
  expect(await json(mailcap.api(path))).toEqual([]);
  const entry = await json(mailcap.api(path, { json: { recipient: 'ada@x.test', reason: 'bounce' } }));
  expect(await json(mailcap.api(path))).toEqual([entry]);
});

describe('POST totp', () => {
  // RFC 6238 appendix B: the SHA-1 secret, used at 59 s.
  const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  test('gives the code of a secret or a URI, and stores nothing', async ({ mailcap }) => {
    const before = await json(mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/authenticators`));
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { now: '1970-01-01T00:00:59Z' } });
    const code = { code: '94287082', expiresAt: '1970-01-01T00:01:00.000+00:00', expiresInSeconds: 1 };
    expect(await outcome(mailcap.api('/_mailcap/totp', { json: { secret: SECRET, digits: 8 } }))).toEqual({
      status: 200,
      body: code,
    });
    const uri = `otpauth://totp/Shop:ada?secret=${SECRET}&digits=8`;
    expect(await json(mailcap.api('/_mailcap/totp', { json: { uri } }))).toEqual(code);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: null });
    expect(await json(mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/authenticators`))).toEqual(before);
  });

  test.for([
    [{}, 'invalid_secret'],
    [{ secret: '1' }, 'invalid_secret'],
    [{ uri: 'https://x.test' }, 'invalid_uri'],
    [{ secret: SECRET, uri: `otpauth://totp/x?secret=${SECRET}` }, 'invalid_uri'],
    [{ secret: SECRET, digits: 7 }, 'invalid_digits'],
  ] as const)('%j is 400 %s', async ([body, error], { mailcap }) => {
    expect(await outcome(mailcap.api('/_mailcap/totp', { json: body }))).toEqual({ status: 400, body: { error } });
  });
});

test('GET waits lists the awaits that are held now with their filters, and none that ended', async ({
  mailcap,
  mailbox,
}) => {
  const waits = () => json<{ kind: string; mailboxId: string | null }[]>(mailcap.api('/_mailcap/waits'));
  expect(await waits()).toEqual([]);
  const hook = await addHook(mailcap);
  const since = encodeURIComponent('2026-11-20T15:55:21.123Z');
  const query = `subject=Welcome&to=&since=${since}&timeout=60`;
  const message = mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/await?${query}`);
  const request = mailcap.api(`/_mailcap/webhooks/${hook.id}/requests/await?timeout=60`);
  await expect.poll(async () => (await waits()).length).toBe(2);
  const time = expect.stringMatching(/^\d{4}-.*\+00:00$/);
  const common = { note: null, workspaceId: mailcap.workspaceId, heldSince: time, until: time };
  const filters = { subject: 'Welcome', since: '2026-11-20T15:55:21.123+00:00' };
  expect(await waits()).toEqual(
    expect.arrayContaining([
      { ...common, kind: 'message', mailboxId: mailbox.id, webhookId: null, filters },
      { ...common, kind: 'request', mailboxId: null, webhookId: hook.id, filters: {} },
    ]),
  );
  await putMail(mailcap, mailbox.id, { Subject: 'Welcome' });
  await fetch(hook.url);
  expect([(await message).status, (await request).status]).toEqual([200, 200]);
  expect(await waits()).toEqual([]);
});
