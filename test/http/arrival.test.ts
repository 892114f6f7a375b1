import { expect, test as plain } from 'vitest';
import { sweep } from '../../src/actions/sweep.ts';
import { startServer, test } from '../support/mailcap.ts';
import { at } from '../support/moment.ts';
import { json, putMail, type Summary } from './support.ts';

test('messages are in the order of arrival, whatever their Date', async ({ mailcap, mailbox }) => {
  const dates = [
    'Fri, 20 Nov 2026 12:00:00 +0000',
    'Mon, 01 Jan 2001 00:00:00 +0000',
    'Thu, 31 Dec 2099 23:59:59 +0000',
  ];
  const sent: string[] = [];
  for (const date of dates) sent.unshift((await putMail(mailcap, mailbox.id, { Date: date })).id);
  const ids = async (path: string) => (await json<Summary[]>(mailcap.api(path))).map(({ id }) => id);
  expect(await ids(`/v1/mailboxes/${mailbox.id}/messages`)).toEqual(sent);
  expect(await ids(`/v1/mailboxes/${mailbox.id}/messages?before=${sent[0]}`)).toEqual(sent.slice(1));
  const found = await json<{ items: Summary[] }>(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?query=shop`));
  expect(found.items.map(({ id }) => id)).toEqual(sent);
});

test('a list has no bodies, and costs the same however large they are', async ({ mailcap, mailbox }) => {
  for (let i = 0; i < 20; i++) await putMail(mailcap, mailbox.id, { Subject: `large ${i}` }, 'body '.repeat(100_000));
  const text = await (await mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`)).text();
  expect(JSON.parse(text)).toHaveLength(20);
  expect(text).not.toContain('body');
  expect(text.length).toBeLessThan(20 * 1_000);
});

plain('nothing goes in silence: what expired is an event that names it', async () => {
  await using server = await startServer();
  const { id: mailboxId } = await server.addMailbox({ retentionDays: 1 });
  const ids = [(await putMail(server, mailboxId)).id, (await putMail(server, mailboxId)).id];
  server.ctx.clock.follow(86_400_000 + 60_000);
  await sweep(server.ctx);
  const told = await server.ctx.store.read.events.list({ after: null, limit: 10, now: at(server.ctx.clock.now()) });
  expect(told).toMatchObject([
    { kind: 'event', event: { type: 'message.deleted', data: { mailboxId, ids, count: 2, reason: 'expired' } } },
  ]);
});

plain('a mailbox holds all it was sent within its retention: no number of messages evicts the first', async () => {
  await using server = await startServer();
  const { id } = await server.addMailbox();
  const first = await putMail(server, id, { Subject: 'the first' });
  for (let batch = 0; batch < 6; batch++) await Promise.all(Array.from({ length: 100 }, () => putMail(server, id)));
  expect((await server.api(`/v1/mailboxes/${id}/messages/${first.id}`)).status).toBe(200);
  expect(await server.ctx.store.read.counts()).toMatchObject({ messages: 601 });
});
