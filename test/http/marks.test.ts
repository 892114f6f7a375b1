import { describe, expect } from 'vitest';
import { FeedClient } from '../support/feed-client.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { longestHold } from '../support/processor-time.ts';
import { addWorkspace, json, mail, outcome, put, putMail, type Summary } from './support.ts';

interface Marks {
  readonly read: boolean;
  readonly starred: boolean;
  readonly tags: readonly string[];
}

const mark = (server: TestServer, id: string | null, body: unknown) =>
  outcome(server.api(`/_mailcap/messages${id === null ? '' : `/${id}`}`, { method: 'PATCH', json: body }));

async function subjectsOf(server: TestServer, mailboxId: string, query: string): Promise<(string | null)[]> {
  const path = `/_mailcap/mailboxes/${mailboxId}/messages?${new URLSearchParams({ query })}`;
  const { items } = await json<{ items: Summary[] }>(server.api(path));
  return items.map(({ subject }) => subject);
}

test('a message keeps its marks in every answer of the local API, and the cloud API has none', async ({
  mailcap,
  mailbox,
}) => {
  const { id } = await putMail(mailcap, mailbox.id, { Subject: 'Marked' });
  const unmarked = { read: false, starred: false, tags: [] };
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject(unmarked);
  const first = await mark(mailcap, id, { read: true, addTags: ['spring', ' Two  words '] });
  expect(first).toMatchObject({ status: 200, body: { id, read: true, starred: false, tags: ['spring', 'Two words'] } });
  const marks = { read: true, starred: true, tags: ['b', 'spring'] };
  expect(
    await mark(mailcap, id, { starred: true, tags: ['b', 'B', 'c'], addTags: ['SPRING'], removeTags: ['C'] }),
  ).toMatchObject({ status: 200, body: marks });
  expect(await mark(mailcap, id, { tags: marks.tags })).toMatchObject({ status: 200, body: marks });
  for (const path of ['', '/content'])
    expect(await json(mailcap.api(`/_mailcap/messages/${id}${path}`))).toMatchObject({ id, ...marks });
  const lists = [`/_mailcap/mailboxes/${mailbox.id}/messages`, `/_mailcap/messages?query=subject:marked`];
  for (const path of lists) expect(await json(mailcap.api(path))).toMatchObject({ items: [{ id, ...marks }] });
  expect(await json(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/latest`))).toMatchObject(marks);
  expect(
    await json(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/await?subject=Marked&since=2000-01-01T00:00:00Z`)),
  ).toMatchObject(marks);
  for (const path of [
    `/messages/${id}`,
    '/messages',
    '/messages/await?timeout=1&subject=Marked&since=2000-01-01T00:00:00Z',
  ]) {
    const text = await (await mailcap.api(`/v1/mailboxes/${mailbox.id}${path}`)).text();
    expect(text).toContain('Marked');
    expect(text).not.toMatch(/"(?:read|starred|tags|isRead|isStarred)"/);
  }
});

test('reading a message, or waiting for one, marks nothing unless the wait asks for it', async ({
  mailcap,
  mailbox,
}) => {
  const { id } = await putMail(mailcap, mailbox.id);
  for (const path of ['', '/content', '/raw', '/view']) await mailcap.api(`/_mailcap/messages/${id}${path}`);
  await mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`);
  await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/await`);
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject({ read: false });
  const waiting = `/_mailcap/mailboxes/${mailbox.id}/await?since=2026-01-01T00:00:00Z&count=1`;
  expect(await json(mailcap.api(`${waiting}&markRead=1`))).toMatchObject([{ id, read: true }]);
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject({ read: true });
  const refused = { status: 400, body: { error: 'invalid_mark_read' } };
  expect(await outcome(mailcap.api(`${waiting}&markRead=x`))).toEqual(refused);
});

test('search words find messages by their marks', async ({ mailcap, mailbox }) => {
  const ids: string[] = [];
  for (const Subject of ['none', 'read', 'starred', 'tagged'])
    ids.push((await putMail(mailcap, mailbox.id, { Subject })).id);
  await mark(mailcap, ids[1] ?? '', { read: true });
  await mark(mailcap, ids[2] ?? '', { starred: true });
  await mark(mailcap, ids[3] ?? '', { tags: ['News', 'two words'] });
  const cases: Record<string, string[]> = {
    'is:read': ['read'],
    'is:unread': ['tagged', 'starred', 'none'],
    '!is:unread': ['read'],
    'is:starred': ['starred'],
    'is:tagged': ['tagged'],
    'tag:news': ['tagged'],
    'tag:new': [],
    'tag:"TWO words"': ['tagged'],
    '!tag:news is:unread': ['starred', 'none'],
  };
  for (const [query, found] of Object.entries(cases))
    expect(await subjectsOf(mailcap, mailbox.id, query), query).toEqual(found);
});

describe('many messages', () => {
  test('are marked by ids or by a search, and the feed has each with its marks', async ({ mailcap, mailbox }) => {
    const { feedUrl } = await json<{ feedUrl: string }>(mailcap.api('/_mailcap/info'));
    await using feed = await FeedClient.open(feedUrl, `types=message.updated&mailboxId=${mailbox.id}`);
    const one = await putMail(mailcap, mailbox.id, { Subject: 'one' });
    const two = await putMail(mailcap, mailbox.id, { Subject: 'two' });
    const gone = await putMail(mailcap, mailbox.id, { Subject: 'gone' });
    await mailcap.api(`/_mailcap/messages/${gone.id}`, { method: 'DELETE' });
    const ids = [one.id, gone.id, two.id, one.id.toLowerCase()];
    expect(await mark(mailcap, null, { ids, read: true })).toEqual({ status: 200, body: { updated: 2, skipped: 0 } });
    expect(await mark(mailcap, null, { ids, read: true })).toEqual({ status: 200, body: { updated: 0, skipped: 0 } });
    const bySearch = { query: 'subject:two', mailboxId: mailbox.id, addTags: ['x'] };
    expect(await mark(mailcap, null, bySearch)).toEqual({ status: 200, body: { updated: 1, skipped: 0 } });
    const marks = { read: true, starred: false, tags: [] };
    const told = (await feed.take(2)).map(({ type, data }) => [type, data]);
    expect(told).toEqual([
      [
        'message.updated',
        {
          mailboxId: mailbox.id,
          messages: [
            { id: one.id, ...marks },
            { id: two.id, ...marks },
          ],
        },
      ],
      ['message.updated', { mailboxId: mailbox.id, messages: [{ id: two.id, ...marks, tags: ['x'] }] }],
    ]);
  });

  test('of one workspace alone are marked by a search of it', async ({ mailcap, mailbox }) => {
    const other = await addWorkspace(mailcap);
    const path = `/v1/workspaces/${other.id}/mailboxes`;
    const box = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Marks' }, headers: other.headers }));
    for (const id of [box.id, mailbox.id]) await putMail(mailcap, id, { Subject: 'everywhere-marked' });
    const query = 'subject:everywhere-marked';
    const inOther = { query, workspaceId: other.id, starred: true };
    expect(await mark(mailcap, null, inOther)).toEqual({ status: 200, body: { updated: 1, skipped: 0 } });
    expect(await mark(mailcap, null, { query, starred: true })).toEqual({
      status: 200,
      body: { updated: 1, skipped: 0 },
    });
  });

  test('with 10,000 ids or found by a search, are marked in batches, and other requests stay quick', async ({
    mailcap,
    mailbox,
  }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    const unknown = Array.from({ length: 9_999 }, (_, n) => `01JD5Z3V8W${String(n).padStart(16, '0')}`);
    const held = longestHold();
    const marked = await mark(mailcap, null, { ids: [...unknown, id], read: true });
    const heldMs = held();
    expect(marked).toEqual({ status: 200, body: { updated: 1, skipped: 0 } });
    expect(heldMs).toBeLessThan(500);
    const refused = { status: 400, body: { error: 'invalid_ids' } };
    expect(await mark(mailcap, null, { ids: [...unknown, id, id], read: true })).toEqual(refused);
  });
});

describe('what can not be read', () => {
  const TAGS = { status: 400, body: { error: 'invalid_tags' } };
  test.for<[unknown, number, string]>([
    [{}, 400, 'invalid_marks'],
    [{ read: 'yes' }, 400, 'invalid_marks'],
    [{ starred: null }, 400, 'invalid_marks'],
    [{ tags: 'a' }, 400, 'invalid_tags'],
    [{ tags: [1] }, 400, 'invalid_tags'],
    [{ addTags: [''] }, 400, 'invalid_tags'],
    [{ addTags: ['a\u0000'] }, 400, 'invalid_tags'],
    [{ addTags: ['a\u001b[31m'] }, 400, 'invalid_tags'],
    [{ addTags: ['a,b'] }, 400, 'invalid_tags'],
    [{ read: true, tags: ['x'.repeat(101)] }, 400, 'invalid_tags'],
    [{ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 400, 'invalid_tags'],
    [[], 400, 'invalid_body'],
  ])('%j is refused, and marks nothing', async ([body, status, error], { mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    expect(await mark(mailcap, id, body)).toEqual({ status, body: { error } });
    if (!Array.isArray(body))
      expect(await mark(mailcap, null, { ...Object(body), ids: [id] })).toEqual({ status, body: { error } });
    expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject({
      read: false,
      starred: false,
      tags: [],
    });
  });

  test.for<[unknown, string]>([
    [{ read: true }, 'invalid_body'],
    [{ read: true, ids: [], query: 'x' }, 'invalid_body'],
    [{ read: true, ids: 'x' }, 'invalid_ids'],
    [{ read: true, ids: ['x'] }, 'invalid_ids'],
    [{ read: true, query: '' }, 'invalid_query'],
    [{ read: true, query: 'form:x' }, 'invalid_query'],
    [{ read: true, query: 7 }, 'invalid_query'],
    [{ read: true, query: 'x', mailboxId: 'x' }, 'invalid_mailbox_id'],
    [{ read: true, query: 'x', workspaceId: 7 }, 'invalid_workspace_id'],
  ])('%j is refused for many', async ([body, error], { mailcap }) => {
    expect(await mark(mailcap, null, body)).toMatchObject({ status: 400, body: { error } });
  });

  test('a megabyte of tags is refused at once; a deleted message is not found', async ({ mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    expect(await mark(mailcap, id, { tags: ['x'.repeat(1_000_000)] })).toEqual(TAGS);
    const many = Array.from({ length: 100_000 }, (_, n) => `${n}`);
    expect(await mark(mailcap, id, { tags: many })).toEqual(TAGS);
    expect(await mark(mailcap, id, { tags: ['x'.repeat(1_100_000)] })).toMatchObject({ status: 413 });
    await mailcap.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
    expect(await mark(mailcap, id, { read: true })).toEqual({ status: 404, body: { error: 'not_found' } });
  });

  test('a message has at most 50 tags: one is refused, and of many it stays as it was', async ({
    mailcap,
    mailbox,
  }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    const other = await putMail(mailcap, mailbox.id);
    const tags = Array.from({ length: 50 }, (_, n) => `tag ${n}`);
    expect(await mark(mailcap, id, { tags })).toMatchObject({ status: 200 });
    expect(await mark(mailcap, id, { addTags: ['more'] })).toEqual({ status: 409, body: { error: 'too_many_tags' } });
    expect(await mark(mailcap, null, { ids: [id, other.id], read: true, addTags: ['more'] })).toEqual({
      status: 200,
      body: { updated: 1, skipped: 1 },
    });
    expect(await json<Marks>(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject({
      read: false,
      tags: { length: 50 },
    });
  });

  test('a workspace has at most 2,000 different tags', async ({ mailcap }) => {
    const { id: workspaceId, headers } = await addWorkspace(mailcap);
    const path = `/v1/workspaces/${workspaceId}/mailboxes`;
    const box = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Tags' }, headers }));
    for (let n = 0; n < 40; n++) {
      const { id } = await json<Summary>(put(mailcap, box.id, mail({})));
      await mark(mailcap, id, { tags: Array.from({ length: 50 }, (_, tag) => `t${n * 50 + tag}`) });
    }
    const { id } = await json<Summary>(put(mailcap, box.id, mail({})));
    expect(await mark(mailcap, id, { tags: ['one more'] })).toEqual({ status: 409, body: { error: 'too_many_tags' } });
    expect(await mark(mailcap, id, { tags: ['T7'] })).toMatchObject({ status: 200, body: { tags: ['t7'] } });
  });
});
