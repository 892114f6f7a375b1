import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addWorkspace, json, outcome, putMail } from './support.ts';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly workspaceId: string;
}

test('webhooks of all workspaces are listed, changed and deleted without a key of each', async ({ mailcap }) => {
  const other = await addWorkspace(mailcap, { plan: 'business' });
  const make = (id: string, name: string) =>
    json<Webhook>(mailcap.api(`/_mailcap/workspaces/${id}/webhooks`, { json: { name } }));
  const [mine, theirs] = [await make(mailcap.workspaceId, 'Mine'), await make(other.id, 'Theirs')];
  const listed = await json<Webhook[]>(mailcap.api('/_mailcap/webhooks'));
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([mine.id, theirs.id]));
  const changed = await json(
    mailcap.api(`/_mailcap/webhooks/${theirs.id}`, { method: 'PATCH', json: { responseStatus: 418 } }),
  );
  expect(changed).toMatchObject({ name: 'Theirs', responseStatus: 418, url: theirs.url });
  expect((await fetch(theirs.url, { method: 'POST', body: 'x' })).status).toBe(418);
  const page = await json<{ items: { id: string }[]; total: number }>(
    mailcap.api(`/_mailcap/webhooks/${theirs.id}/requests`),
  );
  expect(page.total).toBe(1);
  expect(
    await outcome(mailcap.api(`/_mailcap/webhooks/requests/${page.items[0]?.id}/replay`, { method: 'POST' })),
  ).toMatchObject({
    status: 400,
    body: { error: 'invalid_forward' },
  });
  await mailcap.api(`/_mailcap/webhooks/${theirs.id}/requests`, { method: 'DELETE' });
  expect(await json(mailcap.api(`/_mailcap/webhooks/${theirs.id}/requests`))).toMatchObject({ total: 0, items: [] });
  expect((await mailcap.api(`/_mailcap/webhooks/${theirs.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await mailcap.api(`/_mailcap/webhooks/${theirs.id}`)).status).toBe(404);
});

test('previews have the first words and the code of messages, and leave out unknown ones', async ({
  mailcap,
  mailbox,
}) => {
  const { id } = await putMail(mailcap, mailbox.id, { Subject: 'Code' }, 'Your   code is\r\n481516.');
  const ids = `${id},01ARYZ6S41TSV4RRFFQ69G5FAV`;
  expect(await json(mailcap.api(`/_mailcap/messages/previews?ids=${ids}`))).toEqual([
    { id, snippet: 'Your code is 481516.', codes: ['481516'] },
  ]);
  expect(await outcome(mailcap.api('/_mailcap/messages/previews?ids=nonsense'))).toEqual({
    status: 400,
    body: { error: 'invalid_ids' },
  });
});

test('a message’s content is what the cloud API says of it, with its marks', async ({ mailcap }) => {
  const { id } = await putMail(mailcap, mailcap.mailboxId, { Subject: 'Same' });
  const content = await json(mailcap.api(`/_mailcap/messages/${id}/content`));
  const inCloud = await json<object>(mailcap.api(`/v1/mailboxes/${mailcap.mailboxId}/messages/${id}`));
  expect(content).toEqual({ ...inCloud, kind: 'email', read: false, starred: false, tags: [] });
});

test('events are listed oldest first, page after page, as the feed told them', async ({ mailcap, mailbox }) => {
  const first = await putMail(mailcap, mailbox.id);
  const second = await putMail(mailcap, mailbox.id);
  const list = (query: string) =>
    json<{ id: string; type: string }[]>(mailcap.api(`/_mailcap/events?mailboxId=${mailbox.id}&${query}`));
  expect((await list('types=message.received')).map(({ id }) => id)).toEqual([first.id, second.id]);
  expect((await list(`since=${first.id}`)).map(({ id }) => id)).toEqual([second.id]);
  expect(await list('limit=1')).toHaveLength(1);
});

test('events are listed newest first, page after page, down to the event since', async ({ mailcap, mailbox }) => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push((await putMail(mailcap, mailbox.id)).id);
  const list = async (query: string) =>
    (await json<{ id: string }[]>(mailcap.api(`/_mailcap/events?types=message.received&newest=1&${query}`))).map(
      ({ id }) => id,
    );
  expect(await list(`mailboxId=${mailbox.id}`)).toEqual(ids.toReversed());
  expect(await list('limit=2')).toEqual([ids[4], ids[3]]);
  expect(await list(`limit=2&before=${ids[3]}`)).toEqual([ids[2], ids[1]]);
  expect(await list(`before=${ids[3]}&since=${ids[1]}`)).toEqual([ids[2]]);
  expect(await outcome(mailcap.api('/_mailcap/events?newest=last'))).toEqual({
    status: 400,
    body: { error: 'invalid_newest' },
  });
  expect(await outcome(mailcap.api('/_mailcap/events?before=last'))).toEqual({
    status: 400,
    body: { error: 'invalid_before' },
  });
});

test('a mailbox is created in any workspace and sends, and its suppression is removed', async ({ mailcap }) => {
  const other = await addWorkspace(mailcap, { plan: 'business', walletCents: 100 });
  const made = await json<{ id: string; subdomain: string }>(
    mailcap.api(`/_mailcap/workspaces/${other.id}/mailboxes`, { json: { name: 'Of a worker' } }),
  );
  expect(made.subdomain).toBe('of-a-worker');
  const from = `a@of-a-worker.${mailcap.mailDomain}`;
  const sent = mailcap.api(`/_mailcap/mailboxes/${made.id}/send`, { json: { from, to: from, textBody: 'x' } });
  expect((await sent).status).toBe(202);
  const entry = await json<{ id: string }>(
    mailcap.api(`/_mailcap/workspaces/${other.id}/suppression`, { json: { recipient: from, reason: 'bounce' } }),
  );
  const again = () => mailcap.api(`/_mailcap/mailboxes/${made.id}/send`, { json: { from, to: from, textBody: 'x' } });
  expect((await outcome(again())).body).toMatchObject({ error: 'suppressed_recipients' });
  expect((await mailcap.api(`/_mailcap/suppression/${entry.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await again()).status).toBe(202);
});

test('an authenticator’s code is the cloud API’s', async ({ mailcap }) => {
  const { id } = await json<{ id: string }>(
    mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/authenticators`, {
      json: { name: 'A', secret: 'GEZDGNBVGY3TQOJQ' },
    }),
  );
  const [here, there] = await Promise.all([
    json<{ code: string }>(mailcap.api(`/_mailcap/authenticators/${id}/code`)),
    json<{ code: string }>(mailcap.api(`/v1/totp/${id}/code`)),
  ]);
  expect(here.code).toBe(there.code);
});
