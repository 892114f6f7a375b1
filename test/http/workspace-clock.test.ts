import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { addHook, startTarget } from './hooks.ts';
import { addWorkspace, json, outcome, putMail, type Summary } from './support.ts';

// Time belongs to a workspace (docs/clock.md).

const MONTH = 30 * 86_400;

interface Place {
  readonly id: string;
  readonly headers: { readonly authorization: string };
  readonly mailboxId: string;
}

let boxes = 0;

async function addPlace(server: TestServer, fields: Record<string, unknown> = {}): Promise<Place> {
  const { id, headers } = await addWorkspace(server, fields);
  const { id: mailboxId } = await json<{ id: string }>(
    server.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: `box ${++boxes}` }, headers }),
  );
  return { id, headers, mailboxId };
}

const setClock = (server: TestServer, { id }: Pick<Place, 'id'>, setting: unknown) =>
  server.api(`/_mailcap/workspaces/${id}/clock`, { method: 'PUT', json: setting });

const offsetOf = async (server: TestServer, { id }: Pick<Place, 'id'>) =>
  (await json<{ offsetSeconds: number }>(server.api(`/_mailcap/workspaces/${id}/clock`))).offsetSeconds;

const listed = async (server: TestServer, { mailboxId, headers }: Place) =>
  (await json<Summary[]>(server.api(`/v1/mailboxes/${mailboxId}/messages`, { headers }))).map(({ id }) => id);

const secondsFromNow = (time: string) => Math.round((Date.parse(time) - Date.now()) / 1_000);

test('the clock of one workspace hides its own mail and no other, and the mail comes back with it', async () => {
  await using server = await startServer();
  const [mine, neighbour] = [await addPlace(server), await addPlace(server)];
  const [own, other] = [await putMail(server, mine.mailboxId), await putMail(server, neighbour.mailboxId)];
  expect(await outcome(setClock(server, mine, { offsetSeconds: MONTH }))).toMatchObject({
    status: 200,
    body: { offsetSeconds: MONTH },
  });
  expect(await listed(server, mine)).toEqual([]);
  expect((await server.api(`/_mailcap/messages/${own.id}`)).status).toBe(404);
  expect(await listed(server, neighbour)).toEqual([other.id]);
  expect(await offsetOf(server, neighbour)).toBe(0);
  expect(await json(server.api('/_mailcap/clock'))).toMatchObject({ offsetSeconds: 0 });

  const later = await putMail(server, mine.mailboxId);
  expect(Math.abs(secondsFromNow(later.receivedAt) - MONTH)).toBeLessThan(60);
  expect(await listed(server, mine)).toEqual([later.id]);

  await setClock(server, mine, null);
  expect(await listed(server, mine)).toEqual([later.id, own.id]);
  expect((await server.api(`/_mailcap/messages/${own.id}/raw`)).status).toBe(200);
});

test('the clock of the server moves every workspace without a clock of its own', async () => {
  await using server = await startServer();
  const [free, own] = [await addPlace(server), await addPlace(server)];
  await setClock(server, own, { offsetSeconds: 0 });
  for (const { mailboxId } of [free, own]) await putMail(server, mailboxId);
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: MONTH } });
  expect(await offsetOf(server, free)).toBe(MONTH);
  expect(await offsetOf(server, own)).toBe(0);
  expect(await listed(server, free)).toEqual([]);
  expect(await listed(server, own)).toHaveLength(1);
  await setClock(server, own, null);
  expect(await listed(server, own)).toEqual([]);
  await server.api('/_mailcap/clock', { method: 'PUT', json: null });
  for (const place of [free, own]) expect(await listed(server, place)).toHaveLength(1);
});

test.for([{}, { offsetSeconds: 'x' }, { now: 'tomorrow' }, { offsetSeconds: 1, now: '2040-01-01T00:00:00Z' }])(
  'a clock of a workspace can’t be set to %o',
  async (setting) => {
    await using server = await startServer();
    const { id } = await addWorkspace(server);
    expect(await outcome(setClock(server, { id }, setting))).toMatchObject({
      status: 400,
      body: { error: 'invalid_clock' },
    });
    expect(await offsetOf(server, { id })).toBe(0);
  },
);

test('an unknown workspace has no clock', async () => {
  await using server = await startServer();
  const path = `/_mailcap/workspaces/${server.mailboxId}/clock`;
  expect((await server.api(path)).status).toBe(404);
  expect((await server.api(path, { method: 'PUT', json: null })).status).toBe(404);
});

test('a clock and what it hides survive a restart', async () => {
  const options = { ephemeral: false, dataDir: await temporaryDirectory() };
  const first = await startServer(options);
  const place = await addPlace(first);
  const hidden = await putMail(first, place.mailboxId);
  await setClock(first, place, { offsetSeconds: MONTH });
  const shown = await putMail(first, place.mailboxId);
  await first.close();

  await using again = await startServer(options);
  expect(await offsetOf(again, place)).toBe(MONTH);
  expect(await listed(again, place)).toEqual([shown.id]);
  await setClock(again, place, null);
  expect(await listed(again, place)).toEqual([shown.id, hidden.id]);
});

test('a wait for mail ends when the clock that hid it is set back', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const { id } = await putMail(server, place.mailboxId, { Subject: 'Welcome' });
  await setClock(server, place, { offsetSeconds: MONTH });
  const query = 'subject=Welcome&since=2000-01-01T00:00:00Z&timeout=30';
  const waits = [
    server.api(`/v1/mailboxes/${place.mailboxId}/messages/await?${query}`, { headers: place.headers }),
    server.api(`/_mailcap/mailboxes/${place.mailboxId}/await?${query}`),
  ];
  await expect.poll(() => server.ctx.waiters.size).toBe(2);
  // A clock that jumps to and fro meanwhile neither ends the wait nor loses the mail.
  for (const offsetSeconds of [MONTH * 2, MONTH, MONTH * 12]) await setClock(server, place, { offsetSeconds });
  expect(server.ctx.waiters.size).toBe(2);
  await setClock(server, place, null);
  for (const answer of await Promise.all(waits)) expect(await json(answer)).toMatchObject({ id });
});

test('a wait for a time ends when the clock of the workspace is set, and not by the clock of another', async () => {
  await using server = await startServer();
  const [mine, neighbour] = [await addPlace(server), await addPlace(server)];
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = server.api(`/_mailcap/workspaces/${mine.id}/clock/await?until=${until}&timeout=30`);
  let isOver = false;
  void waiting.then(() => {
    isOver = true;
  });
  await setClock(server, neighbour, { offsetSeconds: 7_200 });
  expect((await server.api(`/_mailcap/workspaces/${neighbour.id}/clock/await?until=${until}`)).status).toBe(200);
  expect(isOver).toBe(false);
  await setClock(server, mine, { offsetSeconds: 3_600 });
  expect(await outcome(await waiting)).toMatchObject({ status: 200, body: { offsetSeconds: 3_600 } });
  expect(await outcome(server.api(`/_mailcap/workspaces/${mine.id}/clock/await`))).toMatchObject({
    status: 400,
    body: { error: 'invalid_until' },
  });
});

test('pages of mail from before, during and after a shift are in the order of arrival, and miss none', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const sent: string[] = [];
  const putThree = async () => {
    for (let i = 0; i < 3; i++) sent.unshift((await putMail(server, place.mailboxId)).id);
  };
  await putThree();
  await setClock(server, place, { offsetSeconds: MONTH });
  await putThree();
  await setClock(server, place, { offsetSeconds: -MONTH });
  await putThree();
  await setClock(server, place, null);
  await putThree();
  const page = async (before?: string) =>
    (
      await json<Summary[]>(
        server.api(
          `/v1/mailboxes/${place.mailboxId}/messages?limit=2${before === undefined ? '' : `&before=${before}`}`,
          { headers: place.headers },
        ),
      )
    ).map(({ id }) => id);
  const all: string[] = [];
  for (let next = await page(); next.length > 0; next = await page(all.at(-1))) all.push(...next);
  // What came while the clock was a month back is past its retention now.
  expect(all).toEqual([...sent.slice(0, 3), ...sent.slice(6)]);

  // The clock is set between two pages of one list.
  const first = await page();
  await setClock(server, place, { offsetSeconds: MONTH });
  expect(await page(first.at(-1))).toEqual(sent.slice(6, 8));
  await setClock(server, place, { offsetSeconds: -MONTH });
  expect(await page(first.at(-1))).toEqual(sent.slice(2, 4));
});

test('hidden messages can be deleted: with their mailbox, by emptying it, and by a reset', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const { id } = await putMail(server, place.mailboxId);
  await setClock(server, place, { offsetSeconds: MONTH });
  expect((await server.api(`/_mailcap/messages/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await server.api(`/_mailcap/mailboxes/${place.mailboxId}/messages`, { method: 'DELETE' })).status).toBe(204);
  await setClock(server, place, null);
  expect(await listed(server, place)).toEqual([]);

  await setClock(server, { id: server.workspaceId }, { offsetSeconds: MONTH });
  await server.api('/_mailcap/reset', { method: 'POST' });
  expect(await offsetOf(server, { id: server.workspaceId })).toBe(0);
});

test('an Idempotency-Key answers again when the clock that ended its window is set back', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const make = async (name: string) => {
    const headers = { ...place.headers, 'idempotency-key': 'once' };
    const made = server.api(`/v1/workspaces/${place.id}/mailboxes`, { json: { name }, headers });
    return (await json<{ id: string }>(made)).id;
  };
  const first = await make('one');
  expect(await make('one')).toBe(first);
  await setClock(server, place, { offsetSeconds: 86_400 });
  await server.ctx.store.reclaim();
  await setClock(server, place, { offsetSeconds: 86_399 - 600 });
  expect(await make('one')).toBe(first);
  await setClock(server, place, { offsetSeconds: 86_400 });
  expect(await make('two')).not.toBe(first);
});

test('the day counts, rate limits, codes and dates of a workspace follow its clock', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  await server.api(`/_mailcap/workspaces/${place.id}`, { method: 'PATCH', json: { limits: 'cloud' } });
  const used = async () => {
    const answer = server.api(`/_mailcap/mailboxes/${place.mailboxId}`);
    return (await json<{ dailyInboundUsed: number }>(answer)).dailyInboundUsed;
  };
  await putMail(server, place.mailboxId);
  expect(await used()).toBe(1);
  await setClock(server, place, { offsetSeconds: MONTH });
  expect(await used()).toBe(0);

  const ask = () => server.api('/v1/mailboxes', { headers: place.headers });
  const remaining = async () => Number((await ask()).headers.get('RateLimit-Remaining'));
  const before = await remaining();
  expect(await remaining()).toBe(before - 1);
  await setClock(server, place, { offsetSeconds: MONTH + 61 });
  expect(await remaining()).toBeGreaterThan(before - 1);

  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const { id } = await json<{ id: string }>(
    server.api(`/_mailcap/workspaces/${place.id}/authenticators`, { json: { name: 'Shop', secret } }),
  );
  await setClock(server, place, { now: '1970-01-01T00:00:31Z' });
  const code = server.api(`/v1/totp/${id}/code`, { headers: place.headers });
  expect(await json(code)).toMatchObject({ code: '287082' });
});

test('the feed has an event when a clock is set, with its workspace', async () => {
  await using server = await startServer();
  const { id } = await addWorkspace(server);
  await setClock(server, { id }, { offsetSeconds: 60 });
  await setClock(server, { id }, null);
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 5 } });
  expect(await json(server.api('/_mailcap/events?types=clock.set'))).toMatchObject([
    { type: 'clock.set', workspaceId: id, data: { offsetSeconds: 60 } },
    { type: 'clock.set', workspaceId: id, data: { offsetSeconds: null } },
    { type: 'clock.set', workspaceId: null, data: { offsetSeconds: 5 } },
  ]);
});

test('a forward that waits for its next try runs when the clock of its workspace is moved forward', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const target = await startTarget((res) => res.writeHead(503).end());
  const hook = await addHook(server, { forwardMode: 'async', forwardUrl: target.url }, place.headers);
  const attempts = () => target.received.length;
  await fetch(hook.url, { method: 'POST', body: 'x' });
  await expect.poll(attempts).toBe(1);
  await setClock(server, place, { offsetSeconds: 3_600 });
  await expect.poll(attempts).toBe(2);
  // The clock of the server moves no workspace that has its own.
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 2 * 86_400 } });
  await putMail(server, place.mailboxId);
  expect(attempts()).toBe(2);
});

test('requests to a webhook URL are hidden by the clock of their workspace and come back, page by page', async () => {
  await using server = await startServer();
  const place = await addPlace(server);
  const hook = await addHook(server, {}, place.headers);
  const page = async (number = 1) => {
    const path = `/v1/webhooks/${hook.id}/requests?page=${number}&pageSize=2`;
    const { items, total } = await json<{ items: { path: string }[]; total: number }>(
      server.api(path, { headers: place.headers }),
    );
    return [...items.map((item) => item.path), total];
  };
  for (const name of ['a', 'b', 'c']) await fetch(`${hook.url}/${name}`);
  await setClock(server, place, { offsetSeconds: MONTH });
  expect(await page()).toEqual([0]);
  for (const name of ['d', 'e', 'f']) await fetch(`${hook.url}/${name}`);
  expect(await page()).toEqual(['/f', '/e', 3]);
  expect(await page(2)).toEqual(['/d', 3]);
  await setClock(server, place, null);
  expect(await page()).toEqual(['/f', '/e', 6]);
  expect(await page(2)).toEqual(['/d', '/c', 6]);
  expect(await page(3)).toEqual(['/b', '/a', 6]);
});
