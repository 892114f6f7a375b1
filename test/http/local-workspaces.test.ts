import { describe, expect } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { addKey, addWorkspace, json, outcome, putMail } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
const TIME = expect.stringMatching(/\+00:00$/);
const ID = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);

describe('workspaces', () => {
  test('POST is 201 with an empty workspace: no mailbox, no key; limits as the server’s', async ({ mailcap }) => {
    const { status, body } = await outcome(
      mailcap.api('/_mailcap/workspaces', { json: { name: 'Team', plan: 'free' } }),
    );
    expect(status).toBe(201);
    const fields = { plan: 'free', walletCents: 0, limits: 'off', senders: 'any' };
    expect(body).toEqual({ id: ID, name: 'Team', ...fields, createdAt: TIME });
    const { id } = body as { id: string };
    expect(await json(mailcap.api(`/_mailcap/workspaces/${id}/keys`))).toEqual([]);
    expect(await json(mailcap.api(`/_mailcap/workspaces/${id}/groups`))).toEqual([]);
  });

  test('missing fields are as on the server; the wallet starts as the plan says', async ({ mailcap }) => {
    expect(await json(mailcap.api('/_mailcap/workspaces', { json: {} }))).toMatchObject({
      plan: 'business',
      walletCents: 1_000,
      limits: 'off',
    });
  });

  test('PATCH changes the given fields; GET lists them', async ({ mailcap }) => {
    const { id } = await addWorkspace(mailcap, { name: 'Before', walletCents: 7 });
    const change = { name: 'After', plan: 'free', limits: 'cloud', walletCents: null, senders: 'verified' };
    const { status, body } = await outcome(
      mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: change }),
    );
    expect(status).toBe(200);
    const fields = { plan: 'free', walletCents: 7, limits: 'cloud', senders: 'verified' };
    expect(body).toEqual({ id, name: 'After', ...fields, createdAt: TIME });
    expect(await json(mailcap.api('/_mailcap/workspaces'))).toContainEqual(body);
  });

  test.for([
    [{ name: '' }, 'invalid_name'],
    [{ plan: 'gold' }, 'invalid_plan'],
    [{ limits: 'no' }, 'invalid_limits'],
    [{ walletCents: -1 }, 'invalid_wallet_cents'],
  ] as const)('%j is 400 %s', async ([request, error], { mailcap }) => {
    const { id } = await addWorkspace(mailcap);
    for (const answer of [
      mailcap.api('/_mailcap/workspaces', { json: request }),
      mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: request }),
    ]) {
      expect(await outcome(answer)).toEqual({ status: 400, body: { error } });
    }
  });

  test('DELETE removes a workspace with all it owns, but not the seeded one', async ({ mailcap }) => {
    const { id, headers } = await addWorkspace(mailcap);
    const mailbox = await json<{ id: string }>(
      mailcap.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: 'owned' }, headers }),
    );
    const message = await putMail(mailcap, mailbox.id);
    expect((await mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await outcome(mailcap.api(`/_mailcap/workspaces/${id}/keys`))).toEqual(NOT_FOUND);
    expect(await outcome(mailcap.api(`/_mailcap/messages/${message.id}`))).toEqual(NOT_FOUND);
    expect((await mailcap.api('/v1/mailboxes', { headers })).status).toBe(401);
    expect(await outcome(mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}`, { method: 'DELETE' }))).toEqual({
      status: 409,
      body: { error: 'seeded_workspace' },
    });
  });
});

describe('keys', () => {
  test('POST is 201 with the key, which GET never lists', async ({ mailcap }) => {
    const { id } = await json<{ id: string }>(mailcap.api('/_mailcap/workspaces', { json: {} }));
    const headers = { authorization: `Bearer ${await addKey(mailcap, id)}` };
    const made = mailcap.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: 'In the scope' }, headers });
    const scopes = { mailboxes: [(await json<{ id: string }>(made)).id], authenticators: 'all', webhooks: 'none' };
    const { status, body } = await outcome(
      mailcap.api(`/_mailcap/workspaces/${id}/keys`, { json: { name: 'CI', scopes } }),
    );
    expect(status).toBe(201);
    const key = expect.stringMatching(/^svc_live_[A-Za-z0-9_-]{43}$/);
    expect(body).toEqual({ id: ID, name: 'CI', scopes, createdAt: TIME, key });
    const listed = await mailcap.api(`/_mailcap/workspaces/${id}/keys`);
    const text = await listed.text();
    expect(JSON.parse(text)).toContainEqual({ id: ID, name: 'CI', scopes, createdAt: TIME, revokedAt: null });
    expect(text).not.toContain('svc_live_');
  });

  test('over the plan’s number is 409 plan_max_keys_reached with limit; revoked keys do not count', async ({
    mailcap,
  }) => {
    const { id } = await json<{ id: string }>(mailcap.api('/_mailcap/workspaces', { json: { plan: 'free' } }));
    const issue = () => outcome(mailcap.api(`/_mailcap/workspaces/${id}/keys`, { json: {} }));
    const issued = await Promise.all(Array.from({ length: 5 }, issue));
    expect(issued.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await issue()).toEqual({ status: 409, body: { error: 'plan_max_keys_reached', limit: 5 } });
    const first = issued[0]?.body as { id: string };
    expect((await mailcap.api(`/_mailcap/keys/${first.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await mailcap.api(`/_mailcap/keys/${first.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await issue()).status).toBe(201);
    expect((await issue()).status).toBe(409);
  });

  test.for([
    [{ scopes: { mailboxes: ['x'] } }, 'invalid_scope'],
    [{ scopes: { mailboxes: ['01M80DQHJGAGSX1NJ47HSMJ159'] } }, 'invalid_scope'],
    [{ scopes: { authenticators: ['01M80DQHJGAGSX1NJ47HSMJ159'] } }, 'invalid_scope'],
    [{ scopes: 'all' }, 'invalid_scope'],
    [{ scopes: { webhooks: [] } }, 'invalid_scope'],
    [{ scopes: { webhooks: 'some' } }, 'invalid_scope'],
    [{ scopes: { webhooks: false } }, 'invalid_scope'],
    [{ name: 5 }, 'invalid_name'],
  ] as const)('%j is 400 %s', async ([request, error], { mailcap }) => {
    const answer = mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/keys`, { json: request });
    expect(await outcome(answer)).toEqual({ status: 400, body: { error } });
  });

  test('a scope with ids of another workspace is 400 invalid_scope, and no key is issued', async ({ mailcap }) => {
    const { id } = await json<{ id: string }>(mailcap.api('/_mailcap/workspaces', { json: {} }));
    const path = `/_mailcap/workspaces/${id}/keys`;
    const issue = (mailboxId: string) => outcome(mailcap.api(path, { json: { scopes: { mailboxes: [mailboxId] } } }));
    expect(await issue(mailcap.mailboxId)).toEqual({ status: 400, body: { error: 'invalid_scope' } });
    expect(await json(mailcap.api(path))).toEqual([]);
  });

  test('an unknown key is 404', async ({ mailcap }) => {
    expect(await outcome(mailcap.api(`/_mailcap/keys/${mailcap.mailboxId}`, { method: 'DELETE' }))).toEqual(NOT_FOUND);
  });
});

describe('groups', () => {
  test('groups are created, listed and deleted; the mailboxes of a deleted group stay', async () => {
    await using mailcap = await startServer();
    const path = `/_mailcap/workspaces/${mailcap.workspaceId}/groups`;
    const { status, body } = await outcome(mailcap.api(path, { json: { name: 'Checkout' } }));
    expect(status).toBe(201);
    expect(body).toEqual({ id: ID, workspaceId: mailcap.workspaceId, name: 'Checkout', createdAt: TIME });
    expect(await json(mailcap.api(path))).toEqual([body]);
    const groupId = (body as { id: string }).id;
    await mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, { json: { name: 'grouped', groupId } });
    expect((await mailcap.api(`/_mailcap/groups/${groupId}`, { method: 'DELETE' })).status).toBe(204);
    expect(await json(mailcap.api(path))).toEqual([]);
    expect(await json(mailcap.api('/v1/mailboxes'))).toContainEqual(
      expect.objectContaining({ name: 'grouped', groupId: null }),
    );
    expect(await outcome(mailcap.api(`/_mailcap/groups/${groupId}`, { method: 'DELETE' }))).toEqual(NOT_FOUND);
  });

  test('a group without a name is 400 invalid_name', async ({ mailcap }) => {
    const answer = mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/groups`, { json: {} });
    expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_name' } });
  });
});
