import { expect } from 'vitest';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { startServer, type TestMailbox, type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { messagesIn, post } from '../support/outbound.ts';
import { unless } from '../support/unless.ts';
import { addKey, addWorkspace, json, outcome } from './support.ts';

const FOREIGN = 'ada@elsewhere.test';

/** Creates a workspace with one mailbox, so that its wallet and its counters belong to one test. */
async function aPlace(
  server: TestServer,
  workspace: Record<string, unknown> = {},
  mailbox: Partial<Mailbox> = {},
): Promise<{ id: string; mailbox: TestMailbox; send(fields: Record<string, unknown>): Promise<Response> }> {
  const { id, headers } = await addWorkspace(server, { plan: 'business', walletCents: 100, ...workspace });
  const workspaceId = id as Mailbox['workspaceId']; // the API returned this id
  const box = await server.addMailbox({ workspaceId, ...mailbox });
  const to = `user@${box.subdomain}.mailcap.example.com`;
  return { id, mailbox: box, send: (fields) => post(server, box.id, { to, ...fields }, { headers }) };
}

/** Returns the state that a refused send must not change. */
async function kept(server: TestServer, { id, mailbox }: { id: string; mailbox: TestMailbox }): Promise<unknown> {
  const { read } = server.ctx.store;
  const workspace = await read.workspaces.get(mailbox.workspaceId);
  return {
    id,
    wallet: workspace?.walletMillicents,
    used: await read.workspaces.outboundUsed(mailbox.workspaceId, server.ctx.clock.now()),
    storedBytes: await read.workspaces.storedBytes(mailbox.workspaceId),
    messages: await messagesIn(server, mailbox.id).catch(() => []),
    sends: await read.sends.list({ workspaceId: mailbox.workspaceId, limit: 9 }),
  };
}

const suppress = (server: TestServer, id: string, recipient: string) =>
  server.api(`/_mailcap/workspaces/${id}/suppression`, { json: { recipient, reason: 'bounce' } });

test('a plan without outbound: 403 outbound_disabled', async ({ mailcap }) => {
  const place = await aPlace(mailcap, { plan: 'free' });
  expect(await outcome(place.send({}))).toEqual({ status: 403, body: { error: 'outbound_disabled' } });
});

test('outbound off for the mailbox: 403 outbound_disabled', async ({ mailcap }) => {
  const place = await aPlace(mailcap, {}, { outboundEnabled: false });
  expect(await outcome(place.send({}))).toEqual({ status: 403, body: { error: 'outbound_disabled' } });
});

test('a from domain that is no verified identity: 422 invalid_from_domain with domain, as an A-label', async ({
  mailcap,
}) => {
  const place = await aPlace(mailcap);
  const refusal = (domain: string) => ({ status: 422, body: { error: 'invalid_from_domain', domain } });
  expect(await outcome(place.send({ from: 'a@Elsewhere.TEST' }))).toEqual(refusal('elsewhere.test'));
  expect(await outcome(place.send({ from: 'a@bücher.test' }))).toEqual(refusal('xn--bcher-kva.test'));
  await mailcap.api(`/_mailcap/workspaces/${place.id}/identities`, { json: { domain: 'Bücher.test' } });
  expect((await place.send({ from: 'a@bücher.test' })).status).toBe(202);
  expect(await outcome(place.send({ from: 'a@sub.bücher.test' }))).toEqual(refusal('sub.xn--bcher-kva.test'));
  expect((await place.send({ from: 'a@anything.mailcap.example.com' })).status).toBe(202);
});

test('a recipient off the allowlist: 422 recipients_not_allowed with recipients, costing nothing', async ({
  mailcap,
}) => {
  const place = await aPlace(mailcap);
  const before = await kept(mailcap, place);
  const refused = await outcome(
    place.send({ cc: `Ada <${FOREIGN}>`, bcc: 'b@elsewhere.test, c@x.mailcap.example.com' }),
  );
  expect(refused).toEqual({
    status: 422,
    body: { error: 'recipients_not_allowed', recipients: [FOREIGN, 'b@elsewhere.test'] },
  });
  expect(await kept(mailcap, place)).toEqual(before);
});

test('*@domain on the allowlist takes every address at exactly that domain', async ({ mailcap }) => {
  const place = await aPlace(mailcap);
  const path = `/_mailcap/mailboxes/${place.mailbox.id}`;
  const changed = await outcome(mailcap.api(path, { method: 'PATCH', json: { allowlist: ['*@Exact.test'] } }));
  expect(changed).toMatchObject({ status: 200, body: { allowlist: ['*@Exact.test'] } });
  expect((await place.send({ to: 'ada@exact.test, "b c"@EXACT.test' })).status).toBe(202);
  expect(await outcome(place.send({ to: 'ada@sub.exact.test' }))).toEqual({
    status: 422,
    body: { error: 'recipients_not_allowed', recipients: ['ada@sub.exact.test'] },
  });
});

test('a recipient on the suppression list: 422 suppressed_recipients with recipients, in any spelling', async ({
  mailcap,
}) => {
  const place = await aPlace(mailcap);
  await suppress(mailcap, place.id, 'Bob@box.mailcap.example.com');
  const answer = await outcome(place.send({ to: '"BOB"@Box.mailcap.example.com, ann@box.mailcap.example.com' }));
  const recipients = ['BOB@box.mailcap.example.com'];
  expect(answer).toEqual({ status: 422, body: { error: 'suppressed_recipients', recipients } });
});

test('the day’s limit: 429 daily_outbound_limit_reached with count and limit; --limits off lifts it', async () => {
  await using server = await startServer({ limits: 'cloud', plans: { business: { outboundPerDay: 3 } } });
  const place = await aPlace(server);
  expect((await place.send({ to: 'a@simulator.mailcap.example.com, b@simulator.mailcap.example.com' })).status).toBe(
    202,
  );
  const two = place.send({ to: 'c@simulator.mailcap.example.com, d@simulator.mailcap.example.com' });
  const extra = { count: 2, limit: 3 };
  expect(await outcome(two)).toEqual({ status: 429, body: { error: 'daily_outbound_limit_reached', ...extra } });
  expect((await place.send({ to: 'c@simulator.mailcap.example.com' })).status).toBe(202);
  await server.api(`/_mailcap/workspaces/${place.id}`, { method: 'PATCH', json: { limits: 'off' } });
  expect((await place.send({})).status).toBe(202);
  await server.api(`/_mailcap/workspaces/${place.id}`, { method: 'PATCH', json: { limits: 'cloud' } });
  expect((await place.send({})).status).toBe(429);
  server.ctx.clock.setOffsetMs(86_400_000);
  expect((await place.send({})).status).toBe(202);
});

test('storage: 402 storage_limit_reached with limit_bytes', async () => {
  await using server = await startServer({ plans: { business: { storageBytes: 2_000 } } });
  const place = await aPlace(server);
  expect((await place.send({})).status).toBe(202);
  const refused = { status: 402, body: { error: 'storage_limit_reached', limit_bytes: 2_000 } };
  expect(await outcome(place.send({ textBody: 'x'.repeat(2_000) }))).toEqual(refused);
});

test('the wallet: 402 insufficient_funds with balance_cents, rounded down, and required_cents, up', async ({
  mailcap,
}) => {
  const place = await aPlace(mailcap, { walletCents: 1 });
  const to = (count: number) => ({
    to: Array.from({ length: count }, (_, i) => `u${i}@simulator.mailcap.example.com`).join(),
  });
  expect((await place.send(to(15))).status).toBe(202);
  const before = await kept(mailcap, place);
  const extra = { balance_cents: 0, required_cents: 1 };
  expect(await outcome(place.send(to(6)))).toEqual({ status: 402, body: { error: 'insufficient_funds', ...extra } });
  expect(await kept(mailcap, place)).toMatchObject({ wallet: 250, used: (before as { used: number }).used });
  expect((await place.send(to(5))).status).toBe(202);
  expect(await kept(mailcap, place)).toMatchObject({ wallet: 0 });
});

test('the refusals come in the contract’s order', async () => {
  await using server = await startServer({
    limits: 'cloud',
    plans: { business: { outboundPerDay: 0, storageBytes: 0 } },
  });
  const place = await aPlace(server, { walletCents: 0, plan: 'free' });
  const change = (json: unknown) => server.api(`/_mailcap/workspaces/${place.id}`, { method: 'PATCH', json });
  await suppress(server, place.id, 'a@box.mailcap.example.com');
  await suppress(server, place.id, FOREIGN);
  const wrong = { from: 'x@elsewhere.test', to: `a@box.mailcap.example.com, ${FOREIGN}`, subject: 'a\nb' };
  const codes: unknown[] = [];
  const attempt = async (fields: Record<string, unknown>) => {
    const { body } = await outcome(place.send(fields));
    codes.push((body as { error?: string }).error);
  };
  await attempt(wrong);
  await attempt({ ...wrong, subject: 'ab' });
  await change({ plan: 'business' });
  await attempt({ ...wrong, subject: 'ab' });
  await attempt({ to: wrong.to });
  await attempt({ to: 'a@box.mailcap.example.com' });
  await attempt({ to: 'b@box.mailcap.example.com' });
  await change({ limits: 'off' });
  await attempt({ to: 'b@box.mailcap.example.com' });
  expect(codes).toEqual([
    'invalid_body',
    'outbound_disabled',
    'invalid_from_domain',
    'recipients_not_allowed',
    'suppressed_recipients',
    'daily_outbound_limit_reached',
    'storage_limit_reached',
  ]);
});

test('storage is checked before the wallet', async () => {
  await using server = await startServer({ plans: { business: { storageBytes: 1 } } });
  const place = await aPlace(server, { walletCents: 0 });
  expect(await outcome(place.send({}))).toMatchObject({ status: 402, body: { error: 'storage_limit_reached' } });
});

unless(test, ofOneServer('a spy on it'))(
  'a refused send costs, counts and stores nothing, and gives its bytes back',
  async ({ mailcap }) => {
    const place = await aPlace(mailcap, { walletCents: 0 });
    const before = await kept(mailcap, place);
    const discarded: number[] = [];
    const { blobs } = mailcap.ctx.store;
    const discard = blobs.discard.bind(blobs);
    Object.assign(blobs, {
      discard: (refs: Parameters<typeof discard>[0]) => {
        discarded.push(refs.length);
        discard(refs);
      },
    });
    expect((await place.send({})).status).toBe(402);
    expect(await kept(mailcap, place)).toEqual(before);
    expect(discarded).toEqual([2]);
  },
);

test('identities of the config apply to every workspace, its allowlist and outboundEnabled to new mailboxes', async () => {
  const outbound = { identities: ['app.test'], allowlist: ['*.example.org'], outboundEnabled: true };
  await using server = await startServer(outbound);
  const { headers, id } = await addWorkspace(server, { plan: 'business', walletCents: 1 });
  const made = await json<{ id: string }>(
    server.api(`/v1/workspaces/${id}/mailboxes`, { json: { name: 'x' }, headers }),
  );
  const sends = async (to: string) => (await post(server, made.id, { from: 'a@app.test', to }, { headers })).status;
  expect([await sends('ada@example.org'), await sends('ada@box.mailcap.example.com')]).toEqual([202, 422]);
  await using off = await startServer({ outboundEnabled: false });
  expect((await post(off, off.mailboxId, { to: 'a@box.mailcap.example.com' })).status).toBe(403);
});

test('a mailbox outside the key’s scope is 404', async ({ mailcap }) => {
  const { mailbox, id } = await aPlace(mailcap);
  const key = await addKey(mailcap, id, { mailboxes: [], authenticators: 'all' });
  const answer = post(mailcap, mailbox.id, { to: 'x' }, { headers: { authorization: `Bearer ${key}` } });
  expect(await outcome(answer)).toEqual({ status: 404, body: { error: 'not_found' } });
});

test.for(['undisclosed-recipients:;', 'Team: ;', 'A:;, B:;'])(
  'empty groups alone, %s, in to, cc and bcc are no recipient: 400 invalid_body',
  async (to, { mailcap }) => {
    const place = await aPlace(mailcap);
    const before = await kept(mailcap, place);
    const answer = await outcome(place.send({ to, cc: to, bcc: to }));
    expect(answer).toEqual({ status: 400, body: { error: 'invalid_body' } });
    expect(await kept(mailcap, place)).toEqual(before);
  },
);
