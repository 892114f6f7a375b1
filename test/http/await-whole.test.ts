import { describe, expect, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { json, outcome, putMail } from './support.ts';

interface Whole {
  readonly id: string;
  readonly subject: string;
  readonly codes: readonly { code: string }[];
}

const awaiting = (server: TestServer, mailboxId: string, query = '') =>
  server.api(`/_mailcap/mailboxes/${mailboxId}/await?${query}`);
const waiting = (server: TestServer, count: number) =>
  vi.waitFor(() => expect(server.ctx.waiters.size).toBe(count), { timeout: 15_000, interval: 5 });

const TEXT = 'Your code is 481920. Or click: https://shop.test/verify?token=abcdef0123456789';

describe('the local await', () => {
  test('answers with the whole message: bodies, codes and links', async ({ mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id, { Subject: 'Sign up' }, TEXT);
    expect(await outcome(awaiting(mailcap, mailbox.id))).toMatchObject({
      status: 200,
      body: {
        ...{ id, subject: 'Sign up', mailboxId: mailbox.id, workspaceId: mailcap.workspaceId, attachments: [] },
        ...{ textBody: expect.stringContaining('481920'), htmlBody: null, findError: null },
        codes: [{ code: '481920', reason: expect.any(String) }],
        links: [{ url: 'https://shop.test/verify?token=abcdef0123456789', kind: 'verify', tracker: null }],
      },
    });
  });

  test('waits for a message that meets all conditions, and skips those that fail one', async ({ mailcap, mailbox }) => {
    const query = new URLSearchParams({
      ...{ subject: 'sign', from: 'SHOP@x', to: 'user@', body: 'your  CODE is', header: 'X-Campaign: Spring' },
      ...{ code: '1', link: 'verify', query: '!has:attachment' },
    });
    const answer = awaiting(mailcap, mailbox.id, String(query));
    await waiting(mailcap, 1);
    const head = { Subject: 'Sign up', 'X-Campaign': 'the spring one' };
    await putMail(mailcap, mailbox.id, { ...head, Subject: 'Other' }, TEXT);
    await putMail(mailcap, mailbox.id, { ...head, From: 'else@x.test' }, TEXT);
    await putMail(mailcap, mailbox.id, { ...head, To: 'else@x.test' }, TEXT);
    await putMail(mailcap, mailbox.id, head, TEXT.replace('Your', 'A'));
    await putMail(mailcap, mailbox.id, { Subject: 'Sign up' }, TEXT);
    await putMail(mailcap, mailbox.id, head, TEXT.replace('481920', 'here'));
    await putMail(mailcap, mailbox.id, head, TEXT.replace('verify', 'unsubscribe'));
    const { id } = await putMail(mailcap, mailbox.id, head, TEXT);
    expect(await json<Whole>(answer)).toMatchObject({ id });
    await waiting(mailcap, 0);
  });

  test.for([
    ['body=needle', 'HTML as it is read', { 'Content-Type': 'text/html' }, '<p class="x">nee<b>dle</b></p>'],
    ['header=X-Test', 'a header field that is there', { 'X-Test': '' }, 'x'],
    ['header=x-test%3A%20v', 'its value', { 'X-Test': 'a value' }, 'x'],
    ['link=any', 'a link of any kind', {}, 'https://x.test/'],
    ['code=true', 'a code', {}, 'Your code is 481920'],
    ['query=larger%3A1k', 'search words', {}, 'x'.repeat(2_000)],
  ] as const)('%s is for %s', async ([query, , head, text], { mailcap, mailbox }) => {
    const other = await mailcap.addMailbox();
    await putMail(mailcap, other.id, {}, 'nothing of that');
    expect((await awaiting(mailcap, other.id, `${query}&timeout=1`)).status).toBe(204);
    const { id } = await putMail(mailcap, mailbox.id, head, text);
    expect(await json(awaiting(mailcap, mailbox.id, query))).toMatchObject({ id });
  });

  test('with count it answers with a list of that many messages, in the order of arrival', async ({
    mailcap,
    mailbox,
  }) => {
    const ids: string[] = [];
    const put = async (n: number) => {
      ids.push((await putMail(mailcap, mailbox.id, { Subject: `code ${n}` }, TEXT)).id);
    };
    await put(1);
    const answer = awaiting(mailcap, mailbox.id, 'count=3&code=1');
    await waiting(mailcap, 1);
    await put(2);
    await putMail(mailcap, mailbox.id, { Subject: 'none' }, 'nothing');
    await put(3);
    expect((await json<Whole[]>(answer)).map(({ id }) => id)).toEqual(ids);
    await put(4);
    expect((await json<Whole[]>(awaiting(mailcap, mailbox.id, 'count=2'))).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(await json<Whole[]>(awaiting(mailcap, mailbox.id, 'count=1'))).toMatchObject([{ id: ids[3] }]);
    expect((await awaiting(mailcap, mailbox.id, 'count=9&timeout=1')).status).toBe(204);
  });

  test('since looks back, and defaults to five seconds before the request', async ({ mailcap, mailbox }) => {
    const { receivedAt, id } = await putMail(mailcap, mailbox.id);
    const later = new Date(Date.parse(receivedAt) + 1).toISOString();
    expect((await awaiting(mailcap, mailbox.id, `since=${later}&timeout=1`)).status).toBe(204);
    const earlier = new Date(Date.parse(receivedAt) - 60_000).toISOString();
    expect(await json(awaiting(mailcap, mailbox.id, `since=${earlier}`))).toMatchObject({ id });
  });

  test('is listed among the waits with its filters, and is 404 when the mailbox is deleted', async ({
    mailcap,
    mailbox,
  }) => {
    const answer = awaiting(mailcap, mailbox.id, 'subject=Code&code=1&link=&timeout=7');
    await waiting(mailcap, 1);
    expect(await json(mailcap.api('/_mailcap/waits'))).toEqual([
      expect.objectContaining({
        mailboxId: mailbox.id,
        filters: { subject: 'Code', code: '1', since: expect.any(String) },
      }),
    ]);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
    expect((await answer).status).toBe(404);
    expect((await awaiting(mailcap, mailbox.id)).status).toBe(404);
  });

  test.for([
    ['header=:x', 'invalid_header'],
    ['header=a%20b', 'invalid_header'],
    ['code=yes', 'invalid_code'],
    ['link=nice', 'invalid_link'],
    ['query=%22open', 'invalid_query'],
    ['count=x', 'invalid_count'],
    ['since=x', 'invalid_since'],
    ['timeout=x', 'invalid_timeout'],
  ] as const)('%s is 400 %s', async ([query, error], { mailcap, mailbox }) => {
    expect(await outcome(awaiting(mailcap, mailbox.id, query))).toMatchObject({ status: 400, body: { error } });
  });

  test('is 503 if the server stops, never 204', async () => {
    const server = await startServer();
    const answer = awaiting(server, server.mailboxId, 'timeout=60');
    await waiting(server, 1);
    await server.close();
    expect(await outcome(answer)).toEqual({ status: 503, body: { error: 'shutting_down' } });
  });

  test('is local.awaitWholeMessage of the client: one message, or a list with a count', async ({
    mailcap,
    mailbox,
  }) => {
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const since = new Date(Date.now() - 60_000);
    const { id } = await putMail(mailcap, mailbox.id, {}, TEXT);
    const found = await client.local.awaitWholeMessage(mailbox.id, { code: true, link: 'verify', since });
    expect(found).toMatchObject({ id, codes: [{ code: '481920' }] });
    expect(await client.local.awaitWholeMessage(mailbox.id, { count: 1, body: 'click' })).toMatchObject([{ id }]);
    expect(await client.local.awaitWholeMessage(mailbox.id, { subject: 'never', timeout: 1 })).toBeNull();
  });
});
