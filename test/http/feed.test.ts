import { describe, expect, test as plain, vi } from 'vitest';
import { WebSocket } from 'ws';
import { recordEvent } from '../../src/actions/record-event.ts';
import type { SendId, SuppressionId, WebhookId } from '../../src/domain/ids.ts';
import { Wire } from '../smtp/wire.ts';
import { FeedClient, type FeedEvent } from '../support/feed-client.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { IS_TWO } from '../support/two-servers.ts';
import { addWorkspace, json, putMail } from './support.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/;
const feedOf = ({ ready }: TestServer) => ready.feedUrl;
const typesOf = (events: readonly FeedEvent[]) => events.map(({ type }) => type);

describe('GET feed', () => {
  plain('tells what comes after the connection, each as {"id","type","at","workspaceId","data"}', async () => {
    await using server = await startServer();
    await putMail(server, server.mailboxId, { Subject: 'before' });
    await using client = await FeedClient.open(feedOf(server));
    const { workspaceId, mailboxId } = server;
    const summary = await putMail(server, mailboxId, { Subject: 'Grüße 💌' });
    const made = await json<{ id: string }>(
      server.api(`/v1/workspaces/${workspaceId}/mailboxes`, { json: { name: 'Sign up' } }),
    );
    // A message that is deleted before a subscriber at another server was told of it has its deletion alone.
    await client.take(2);
    await server.api(`/_mailcap/messages/${summary.id}`, { method: 'DELETE' });
    await server.api(`/_mailcap/mailboxes/${made.id}`, { method: 'DELETE' });
    const events = await client.take(4);
    const own = { kind: 'email', copyKey: expect.any(String), read: false, starred: false, tags: [] };
    const deleted = { ids: [summary.id], upTo: null, count: 1, reason: 'deleted' };
    expect(events).toEqual(
      [
        ['message.received', { mailboxId, ...summary, ...own }],
        ['mailbox.created', { mailboxId: made.id, subdomain: 'sign-up', name: 'Sign up' }],
        ['message.deleted', { mailboxId, ...deleted }],
        ['mailbox.deleted', { mailboxId: made.id, subdomain: 'sign-up', name: 'Sign up' }],
      ].map(([type, data]) => ({ id: expect.any(String), type, at: expect.stringMatching(TIME), workspaceId, data })),
    );
    expect(events[0]).toMatchObject({ id: summary.id, at: summary.receivedAt });
    expect([...events].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(events);
  });

  plain('the subprotocol mailcap.feed.lists tells the same events, several in a frame', async () => {
    await using server = await startServer();
    await putMail(server, server.mailboxId, { Subject: 'before' });
    const zero = `since=${'0'.repeat(26)}`;
    for (let number = 1; number <= 20; number++) await putMail(server, server.mailboxId, { Subject: `Mail ${number}` });
    await using client = await FeedClient.open(feedOf(server), zero);
    const events = [...(await client.take(21))];
    const lists: FeedEvent[][] = [];
    const ws = new WebSocket(`${feedOf(server)}?${zero}`, ['mailcap.feed', 'mailcap.feed.lists']);
    ws.on('message', (data) => lists.push(JSON.parse(data.toString())));
    await vi.waitUntil(() => lists.flat().length >= events.length);
    expect(ws.protocol).toBe('mailcap.feed.lists');
    expect(lists.flat()).toEqual(events);
    expect(lists.length).toBeLessThan(5);
    // Later events come in lists, too, and the server counts this subscriber as any other.
    await putMail(server, server.mailboxId, { Subject: 'later' });
    await vi.waitUntil(() => lists.flat().length > events.length);
    expect(lists.at(-1)?.at(-1)?.data['subject']).toBe('later');
    const told = async () =>
      /^mailcap_feed_subscribers (\d)$/m.exec(await (await server.api('/_mailcap/metrics')).text())?.[1];
    // Each of two servers counts its own.
    const counts = [await told(), ...(IS_TWO ? [await told()] : [])];
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(2);
    ws.terminate();
  });

  plain('a reset is told, of no workspace in particular', async () => {
    await using server = await startServer();
    await using client = await FeedClient.open(feedOf(server));
    await using filtered = await FeedClient.open(feedOf(server), `mailboxId=${server.mailboxId}`);
    await server.reset();
    expect(await client.take(1)).toMatchObject([{ type: 'reset', workspaceId: null, data: {} }]);
    expect(await filtered.take(1)).toEqual(client.events);
  });

  plain('what is recorded of sends, suppression and webhooks is told as recorded', async () => {
    await using server = await startServer();
    await using client = await FeedClient.open(feedOf(server));
    const { ctx, ready } = server;
    const id = ctx.ids.next(ctx.clock.now());
    const mailboxId = ready.mailboxId as never;
    const recipients = [{ address: 'a@x.test', state: 'bounced' }] as const;
    const send = { sendId: id as SendId, mailboxId, messageId: id as never, state: 'bounced', recipients } as const;
    const entry = { id: id as SuppressionId, recipient: 'a@x.test', reason: 'bounce' } as const;
    const outcome = { forwardStatus: 'delivered', forwardHttpStatus: 204, forwardAttempts: 2 } as const;
    const forwarded = { webhookId: id as WebhookId, requestId: id as never, ...outcome };
    await ctx.store.transaction(async (tx) => {
      await recordEvent(ctx, tx, 'send.updated', ready.workspaceId as never, send);
      await recordEvent(ctx, tx, 'suppression.added', ready.workspaceId as never, entry);
      await recordEvent(ctx, tx, 'webhook.forwarded', ready.workspaceId as never, forwarded);
    });
    const events = await client.take(3);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['send.updated', send],
      ['suppression.added', entry],
      ['webhook.forwarded', { ...forwarded, forwardStatus: 2 }],
    ]);
  });

  plain('who changes a mailbox is told of it once', async () => {
    await using server = await startServer();
    await using client = await FeedClient.open(feedOf(server), 'types=mailbox.updated');
    const path = `/_mailcap/mailboxes/${server.mailboxId}`;
    // The second time nothing changes.
    for (const name of ['Shop', 'Shop']) await server.api(path, { method: 'PATCH', json: { name } });
    for (const claim of ['ada@x.test', 'ada@x.test', 'Grace@x.test'])
      await server.api(`${path}/addresses`, { method: 'PUT', json: [claim] });
    await server.api(path, { method: 'PATCH', json: { name: 'Desk' } });
    const changed = { mailboxId: server.mailboxId, subdomain: 'inbox' };
    expect((await client.take(4)).map(({ data }) => data)).toEqual([
      ...[1, 2, 3].map(() => ({ ...changed, name: 'Shop' })),
      { ...changed, name: 'Desk' },
    ]);
  });

  plain(
    'who makes, changes, empties or deletes a webhook is told of it once, also when its workspace is deleted',
    async () => {
      await using server = await startServer();
      await using client = await FeedClient.open(
        feedOf(server),
        'types=webhook.created,webhook.updated,webhook.cleared,webhook.deleted',
      );
      const workspace = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { name: 'Short' } }));
      const made = (id: string, name: string) =>
        json<{ id: string; url: string }>(server.api(`/_mailcap/workspaces/${id}/webhooks`, { json: { name } }));
      const one = await made(server.workspaceId, 'Payments');
      const two = await made(workspace.id, 'Builds');
      // The second time nothing changes.
      for (let times = 0; times < 2; times++)
        await server.api(`/v1/webhooks/${one.id}`, { method: 'PATCH', json: { name: 'Paid', responseStatus: 402 } });
      await fetch(one.url, { method: 'POST' });
      // The second time nothing is there to delete.
      for (let times = 0; times < 2; times++) await server.api(`/v1/webhooks/${one.id}/requests`, { method: 'DELETE' });
      await server.api(`/_mailcap/webhooks/${one.id}`, { method: 'DELETE' });
      await server.api(`/_mailcap/workspaces/${workspace.id}`, { method: 'DELETE' });
      const events = await client.take(6);
      expect(events.map(({ type, workspaceId, data }) => [type, workspaceId, data])).toEqual([
        ['webhook.created', server.workspaceId, { webhookId: one.id, name: 'Payments' }],
        ['webhook.created', workspace.id, { webhookId: two.id, name: 'Builds' }],
        ['webhook.updated', server.workspaceId, { webhookId: one.id, name: 'Paid' }],
        ['webhook.cleared', server.workspaceId, { webhookId: one.id, count: 1 }],
        ['webhook.deleted', server.workspaceId, { webhookId: one.id, name: 'Paid' }],
        ['webhook.deleted', workspace.id, { webhookId: two.id, name: 'Builds' }],
      ]);
    },
  );

  plain(
    'refusals by SMTP, faults that were applied and codes that were read are told, the code itself is not',
    async () => {
      await using server = await startServer({ catchAll: 'off' });
      await using client = await FeedClient.open(feedOf(server), 'types=smtp.refused,fault.applied,totp.read');
      const { id: mailboxId, address, workspaceId } = await server.addMailbox();
      const rule = { stage: 'rcpt', match: { to: '*slow*' }, action: { reply: '451 4.7.1 later' }, times: 2 };
      await server.api('/_mailcap/faults', { method: 'PUT', json: [rule] });
      const wire = await Wire.hello(server.smtp.port);
      await wire.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@nowhere.test>', `RCPT TO:<${address('slow')}>`);
      wire.close();
      const { id } = await json<{ id: string }>(
        server.api(`/_mailcap/workspaces/${workspaceId}/authenticators`, {
          json: { name: 'Shop', secret: 'GEZDGNBVGY3TQOJQ' },
        }),
      );
      // A refusal is told after its reply, and the next request may go to another server.
      await client.take(3);
      const { code } = await json<{ code: string }>(server.api(`/v1/totp/${id}/code`));
      const events = await client.take(4);
      const refused = { stage: 'rcpt', mailFrom: 'a@x.test', recipientCount: 1, clientAddress: '127.0.0.1' };
      expect(events.map((event) => [event.type, event.workspaceId, event.data])).toEqual([
        [
          ...['smtp.refused', null],
          {
            ...refused,
            reply: expect.stringMatching(/^550 /),
            reason: expect.any(String),
            recipient: 'b@nowhere.test',
          },
        ],
        [
          ...['fault.applied', workspaceId],
          {
            ...{
              mailboxId,
              faultId: expect.any(String),
              index: 0,
              stage: 'rcpt',
              reply: '451 4.7.1 later',
              delayMs: 0,
              drop: false,
            },
            ...{ applied: 1, remaining: 1 },
          },
        ],
        [
          ...['smtp.refused', workspaceId],
          { mailboxId, ...refused, reply: '451 4.7.1 later', reason: 'fault', recipient: address('slow') },
        ],
        ['totp.read', workspaceId, { authenticatorId: id, name: 'Shop', keyId: expect.any(String) }],
      ]);
      expect(JSON.stringify(events)).not.toContain(code);
      await using filtered = await FeedClient.open(feedOf(server), `mailboxId=${mailboxId}&since=${'0'.repeat(26)}`);
      expect(typesOf(await filtered.take(2))).toEqual(['fault.applied', 'smtp.refused']);
    },
  );

  plain('a crowd that is refused leaves the server answering, and the feed tells of the first', async () => {
    await using server = await startServer({ catchAll: 'off' });
    await using client = await FeedClient.open(feedOf(server), 'types=smtp.refused');
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<a@x.test>');
    wire.write(Array.from({ length: 2_000 }, (_, i) => `RCPT TO:<b${i}@nowhere.test>\r\n`).join(''));
    const first = await client.take(100);
    expect(first.slice(0, 100).map(({ data }) => data['recipient'])).toEqual(
      Array.from({ length: 100 }, (_, i) => `b${i}@nowhere.test`),
    );
    await putMail(server, server.mailboxId);
    wire.close();
  });

  test('since: the feed has every event after it, the stored ones first', async ({ mailcap }) => {
    const mailbox = await mailcap.addMailbox();
    const put = (subject: string) => putMail(mailcap, mailbox.id, { Subject: subject });
    const first = await put('one');
    const second = await put('two');
    await using client = await FeedClient.open(feedOf(mailcap), `mailboxId=${mailbox.id}&since=${first.id}`);
    const third = await put('three');
    expect((await client.take(2)).map(({ id }) => id)).toEqual([second.id, third.id]);
    await using again = await FeedClient.open(feedOf(mailcap), `since=${second.id.toLowerCase()}`);
    expect((await again.take(1)).map(({ id }) => id)).toEqual([third.id]);
  });

  test('since: an unknown or deleted id still works as a position', async ({ mailcap }) => {
    const mailbox = await mailcap.addMailbox();
    const gone = await putMail(mailcap, mailbox.id);
    const kept = await putMail(mailcap, mailbox.id);
    await mailcap.api(`/_mailcap/messages/${gone.id}`, { method: 'DELETE' });
    const told = async (since: string) => {
      const query = `types=message.received&mailboxId=${mailbox.id}&since=${since}`;
      await using client = await FeedClient.open(feedOf(mailcap), query);
      return (await client.take(1)).map(({ id }) => id);
    };
    expect(await told(gone.id)).toEqual([kept.id]);
    expect(await told('0'.repeat(26))).toEqual([kept.id]);
  });

  test('types: only these, with commas between them; an empty filter is no filter', async ({ mailcap }) => {
    const mailbox = await mailcap.addMailbox();
    const filter = `mailboxId=${mailbox.id}`;
    await using deletions = await FeedClient.open(feedOf(mailcap), `${filter}&types=message.deleted,mailbox.deleted`);
    await using all = await FeedClient.open(feedOf(mailcap), `${filter}&types=`);
    await putMail(mailcap, mailbox.id);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'DELETE' });
    await putMail(mailcap, mailbox.id);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
    expect(typesOf(await deletions.take(2))).toEqual(['message.deleted', 'mailbox.deleted']);
    const told = typesOf(await all.until((events) => events.at(-1)?.type === 'mailbox.deleted'));
    // The feed reports the second mail, or skips it because it is deleted already.
    expect(told.filter((type) => type !== 'message.received')).toEqual(['message.deleted', 'mailbox.deleted']);
  });

  test('mailboxId: only the events of this mailbox', async ({ mailcap }) => {
    const [own, other] = [await mailcap.addMailbox(), await mailcap.addMailbox()];
    await using client = await FeedClient.open(feedOf(mailcap), `mailboxId=${own.id}`);
    await using both = await FeedClient.open(feedOf(mailcap));
    for (const { id } of [other, own, other, own]) await putMail(mailcap, id);
    await both.take(4);
    await client.take(2);
    expect(client.events.map(({ data }) => data['mailboxId'])).toEqual([own.id, own.id]);
  });

  test('the feed has the events of every workspace, because the local API knows no key', async ({ mailcap }) => {
    await using client = await FeedClient.open(feedOf(mailcap), 'types=mailbox.created');
    const { id, headers } = await addWorkspace(mailcap);
    await mailcap.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: `of ${id}` }, headers });
    expect(await client.take(1)).toMatchObject([{ type: 'mailbox.created', workspaceId: id }]);
  });

  plain('the feed leaves out what is past its retention', async () => {
    await using server = await startServer();
    const expired = await putMail(server, server.mailboxId);
    await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 40 * 86_400 } });
    const fresh = await putMail(server, server.mailboxId);
    await using client = await FeedClient.open(feedOf(server), `types=message.received&since=${'0'.repeat(26)}`);
    expect((await client.take(1)).map(({ id }) => id)).toEqual([fresh.id]);
    expect(fresh.id > expired.id).toBe(true);
  });
});
