import fc from 'fast-check';
import { expect } from 'vitest';
import { FeedClient, type FeedEvent } from '../support/feed-client.ts';
import { test } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';
import { ask } from './answer.ts';
import { operations } from './operations.ts';
import { addBox, addTenant } from './tenant.ts';
import { World } from './world.ts';

test('whatever three workspaces do, each key sees exactly what is in its scope', async ({ mailcap }) => {
  await fc.assert(
    fc.asyncProperty(operations, async (all) => {
      const world = await World.of(mailcap, 3);
      try {
        for (const operation of all) await world.do(operation);
        await world.audit();
      } finally {
        world.close();
      }
    }),
    { numRuns: propertyRuns(30, 12) },
  );
});

test('whatever three workspaces do, the events of one contain nothing of another', async ({ mailcap }) => {
  const { feedUrl } = mailcap.ready;
  await fc.assert(
    fc.asyncProperty(operations, async (all) => {
      await using client = await FeedClient.open(feedUrl);
      const world = await World.of(mailcap, 3);
      try {
        for (const operation of all) await world.do(operation);
        const marker = await world.mark();
        const isLast = ({ id }: FeedEvent) => id === marker.id;
        world.auditFeed(await client.until((events) => events.some(isLast)));
        // The feed replays the event, for this mailbox only.
        const [first] = client.events;
        await using again = await FeedClient.open(feedUrl, `mailboxId=${marker.mailboxId}&since=${first?.id}`);
        world.auditFeed(await again.until((events) => events.some(isLast)), marker.mailboxId);
      } finally {
        world.close();
      }
    }),
    { numRuns: propertyRuns(20, 8) },
  );
});

test('an await is not woken by mail of other workspaces', async ({ mailcap }) => {
  const [us, them] = [await addTenant(mailcap), await addTenant(mailcap)];
  const [ours, beside, theirs] = [
    await addBox(mailcap, us, 'a'),
    await addBox(mailcap, us, 'b'),
    await addBox(mailcap, them, 'a'),
  ];
  const waiting = mailcap.ctx.waiters.size;
  const held = ask(mailcap, { path: `/v1/mailboxes/${ours.id}/messages/await?timeout=30&subject=code`, key: us.key });
  await expect.poll(() => mailcap.ctx.waiters.size).toBe(waiting + 1);
  const put = (id: string, subject: string) =>
    mailcap.api(`/_mailcap/mailboxes/${id}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'message/rfc822' },
      body: `Subject: ${subject}\r\n\r\nx\r\n`,
    });
  for (const { id } of [theirs, beside]) expect((await put(id, 'code for another')).status).toBe(201);
  expect((await put(ours.id, 'code for us')).status).toBe(201);
  expect(JSON.parse((await held).body)).toMatchObject({ subject: 'code for us' });
});
