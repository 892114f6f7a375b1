import { describe, expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addKey, addWorkspace, json, outcome, putMail } from './support.ts';

interface Mailbox {
  readonly id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly dailyInboundUsed: number;
}

test('POST answers 201 with every field of MailboxResponse and no other', async ({ mailcap }) => {
  const { status, body } = await outcome(
    mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, { json: { name: 'Field Set', unknown: 1 } }),
  );
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    workspaceId: mailcap.workspaceId,
    groupId: null,
    name: 'Field Set',
    subdomain: 'field-set',
    retentionDays: 30,
    outboundEnabled: true,
    dailyInboundUsed: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
  });
});

test('the workspace id is accepted in either case; any other than the key’s is 404', async ({ mailcap }) => {
  const other = await addWorkspace(mailcap);
  const create = (id: string) => mailcap.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: `in ${id}` } });
  expect((await create(mailcap.workspaceId.toLowerCase())).status).toBe(201);
  for (const id of [other.id, 'nonsense', '01JD5Z3V8W0123456789ABCDEF']) {
    expect(await outcome(create(id))).toEqual({ status: 404, body: { error: 'not_found' } });
  }
});

describe('refusals', () => {
  test.for([
    [{}, 400, { error: 'invalid_name' }],
    [{ name: null }, 400, { error: 'invalid_name' }],
    [{ name: 7 }, 400, { error: 'invalid_name' }],
    [{ name: 'ok', subdomain: 'a.b' }, 400, { error: 'invalid_subdomain' }],
    [{ name: 'ok', subdomain: 7 }, 400, { error: 'invalid_subdomain' }],
    [{ name: 'ok', groupId: 'x' }, 400, { error: 'invalid_group_id' }],
    [{ name: 'ok', groupId: {} }, 400, { error: 'invalid_group_id' }],
    [{ name: 'ok', groupId: '01JD5Z3V8W0123456789ABCDEF' }, 400, { error: 'group_not_found' }],
    [{ name: 'ok', retentionDays: 91 }, 400, { error: 'invalid_retention', max: 90 }],
    [{ name: 'ok', retentionDays: 0 }, 400, { error: 'invalid_retention', max: 90 }],
    [{ name: 'ok', retentionDays: 1.5 }, 400, { error: 'invalid_retention', max: 90 }],
    [{ name: 'ok', retentionDays: '3' }, 400, { error: 'invalid_retention', max: 90 }],
    [{ subdomain: 'inbox' }, 409, { error: 'subdomain_taken' }],
    [{ name: 'Inbox' }, 409, { error: 'subdomain_taken' }],
    [{ subdomain: 'WWW' }, 409, { error: 'subdomain_reserved' }],
    [{ name: 'Post Master', subdomain: 'postmaster' }, 409, { error: 'subdomain_reserved' }],
    // Validation errors come in the document's order, even if several fields are wrong.
    [{ name: '', subdomain: '-', groupId: 'x', retentionDays: 0 }, 400, { error: 'invalid_name' }],
    [{ name: 'a', subdomain: '-', groupId: 'x', retentionDays: 0 }, 400, { error: 'invalid_subdomain' }],
    [{ name: 'a', subdomain: 'inbox', groupId: 'x', retentionDays: 0 }, 400, { error: 'invalid_group_id' }],
    [{ name: 'a', subdomain: 'www', retentionDays: 0 }, 400, { error: 'invalid_retention', max: 90 }],
  ] as const)('%j is %s %j', async ([request, status, body], { mailcap }) => {
    const answer = mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, { json: request });
    expect(await outcome(answer)).toEqual({ status, body });
  });

  test('the subdomain of another workspace is subdomain_taken too', async ({ mailcap }) => {
    const other = await addWorkspace(mailcap);
    const create = (id: string, headers: Record<string, string>) =>
      mailcap.api(`/v1/workspaces/${id}/mailboxes`, { json: { subdomain: 'both' }, headers });
    expect((await create(other.id, other.headers)).status).toBe(201);
    expect(await outcome(create(mailcap.workspaceId, {}))).toEqual({ status: 409, body: { error: 'subdomain_taken' } });
  });

  test('one mailbox more than the plan has is 409 plan_max_mailboxes_reached with limit, also at the same time', async ({
    mailcap,
  }) => {
    const free = await addWorkspace(mailcap, { plan: 'free' });
    const create = (i: number) =>
      outcome(
        mailcap.api(`/v1/workspaces/${free.id}/mailboxes`, { json: { name: `Free ${i}` }, headers: free.headers }),
      );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => create(i)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status !== 201)).toEqual(
      Array.from({ length: 3 }, () => ({ status: 409, body: { error: 'plan_max_mailboxes_reached', limit: 5 } })),
    );
    const first = answers.find(({ status }) => status === 201)?.body;
    expect(first).toMatchObject({ retentionDays: 3, outboundEnabled: false });
  });
});

test('a group of the workspace is accepted, a group of another one is group_not_found', async ({ mailcap }) => {
  const other = await addWorkspace(mailcap);
  const group = (id: string) =>
    json<{ id: string }>(mailcap.api(`/_mailcap/workspaces/${id}/groups`, { json: { name: 'Team' } }));
  const own = await group(mailcap.workspaceId);
  const foreign = await group(other.id);
  const create = (name: string, groupId: string) =>
    outcome(mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, { json: { name, groupId } }));
  expect(await create('grouped', own.id.toLowerCase())).toMatchObject({ status: 201, body: { groupId: own.id } });
  expect(await create('not grouped', foreign.id)).toEqual({ status: 400, body: { error: 'group_not_found' } });
});

test('GET lists what the key can read: all mailboxes of the workspace, also newer ones than the key, or an explicit set', async ({
  mailcap,
}) => {
  const workspace = await addWorkspace(mailcap);
  const create = (name: string) =>
    json<Mailbox>(
      mailcap.api(`/v1/workspaces/${workspace.id}/mailboxes`, { json: { name }, headers: workspace.headers }),
    );
  const list = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await json<Mailbox[]>(mailcap.api('/v1/mailboxes', { headers }))).map(({ id }) => id);
  };
  expect(await list(workspace.key)).toEqual([]);
  const first = await create('listed 1');
  const second = await create('listed 2');
  const explicit = await addKey(mailcap, workspace.id, { mailboxes: [second.id] });
  expect(await list(workspace.key)).toEqual([first.id, second.id]);
  expect(await list(explicit)).toEqual([second.id]);
  const third = await create('listed 3');
  expect(await list(workspace.key)).toEqual([first.id, second.id, third.id]);
  expect(await list(explicit)).toEqual([second.id]);
});

test('dailyInboundUsed counts today’s messages and is 0 again at midnight UTC', async ({ mailcap, mailbox }) => {
  const used = async () => {
    const all = await json<Mailbox[]>(mailcap.api('/v1/mailboxes'));
    return all.find(({ id }) => id === mailbox.id)?.dailyInboundUsed;
  };
  await putMail(mailcap, mailbox.id);
  await putMail(mailcap, mailbox.id);
  expect(await used()).toBe(2);
  const now = mailcap.ctx.clock.now();
  mailcap.ctx.clock.setOffsetMs(Math.ceil(now / 86_400_000) * 86_400_000 - now);
  expect(await used()).toBe(0);
  mailcap.ctx.clock.setOffsetMs(0);
});
