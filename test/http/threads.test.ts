import { expect } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { json, outcome, putMail, type Summary } from './support.ts';

interface Thread {
  readonly threadId: string;
  readonly items: readonly (Summary & { readonly parentId: string | null })[];
  readonly total: number;
  readonly complete: boolean;
}

test('a conversation has the messages of its mailbox that answer one another, in their order', async ({
  mailcap,
  mailbox,
}) => {
  const put = async (subject: string, headers: Readonly<Record<string, string>>) =>
    (await putMail(mailcap, mailbox.id, { Subject: subject, ...headers })).id;
  const first = await put('Help', { 'Message-ID': '<a@x.test>' });
  await put('Other', { 'Message-ID': '<z@x.test>' });
  const second = await put('Re: Help', {
    'Message-ID': '<b@x.test>',
    References: '<a@x.test>',
    'In-Reply-To': '<a@x.test>',
  });
  const third = await put('Re: Help, again', {
    'Message-ID': '<c@x.test>',
    References: '<a@x.test>\r\n <b@x.test>',
    'In-Reply-To': '<b@x.test>',
  });
  for (const id of [first, second, third]) {
    const thread = await json<Thread>(mailcap.api(`/_mailcap/messages/${id}/thread`));
    expect(thread).toMatchObject({ total: 3, complete: true });
    expect(thread.items.map(({ subject, parentId }) => [subject, parentId])).toEqual([
      ['Help', null],
      ['Re: Help', first],
      ['Re: Help, again', second],
    ]);
    const facts = await json<{ threadId: string }>(mailcap.api(`/_mailcap/messages/${id}`));
    expect(facts.threadId).toBe(thread.threadId);
    const found = await json<Thread>(mailcap.api(`/_mailcap/messages?query=thread:${thread.threadId}`));
    expect(found.items.map((one) => one.id)).toEqual([third, second, first]);
  }
});

test('a conversation ends at its mailbox, and leaves out what was deleted', async ({ mailcap, mailbox }) => {
  const path = `/_mailcap/workspaces/${mailcap.workspaceId}/mailboxes`;
  const other = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Other' } }));
  const headers = { 'Message-ID': '<a@x.test>' };
  const { id: here } = await putMail(mailcap, mailbox.id, headers);
  const { id: gone } = await putMail(mailcap, mailbox.id, { References: '<a@x.test>' });
  await putMail(mailcap, other.id, { References: '<a@x.test>' });
  await mailcap.api(`/_mailcap/messages/${gone}`, { method: 'DELETE' });
  const thread = await json<Thread>(mailcap.api(`/_mailcap/messages/${here}/thread`));
  expect(thread.items.map(({ id }) => id)).toEqual([here]);
  expect(await outcome(mailcap.api(`/_mailcap/messages/${gone}/thread`))).toMatchObject({ status: 404 });
});

test('of a conversation of 150 messages, the newest 100 are listed and all are counted', async () => {
  await using server = await startServer();
  const put = (headers: Readonly<Record<string, string>>) => putMail(server, server.mailboxId, headers);
  const { id: first } = await put({ 'Message-ID': '<0@x.test>' });
  for (let n = 1; n < 150; n++)
    await put({ Subject: `${n}`, 'Message-ID': `<${n}@x.test>`, References: `<0@x.test> <${n - 1}@x.test>` });
  const { items, total } = await json<Thread>(server.api(`/_mailcap/messages/${first}/thread`));
  expect(total).toBe(150);
  expect(items.map(({ subject }) => subject)).toEqual(Array.from({ length: 100 }, (_none, index) => `${50 + index}`));
  expect(items[0]?.parentId).toBeNull();
  expect(items[1]?.parentId).toBe(items[0]?.id);
});
