import { expect, test as plain } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { addKey, addWorkspace, json, outcome } from './support.ts';

let keys = 0;

function create(
  server: TestServer,
  key: string,
  body: unknown,
  init: { id?: string; headers?: Record<string, string> } = {},
) {
  const { id = server.workspaceId, headers = {} } = init;
  return server.api(`/v1/workspaces/${id}/mailboxes`, { json: body, headers: { ...headers, 'idempotency-key': key } });
}

test('a replay with the same key returns the original answer without running again', async ({ mailcap }) => {
  const key = `k${++keys}`;
  const first = await create(mailcap, key, { name: 'Once' });
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  const original = await outcome(first);
  expect(original.status).toBe(201);
  const second = await create(mailcap, key, { name: 'Once' });
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await outcome(second)).toEqual(original);
});

test('a refusal is replayed too, even after its cause is gone', async ({ mailcap }) => {
  const key = `k${++keys}`;
  const blocker = await json<{ id: string }>(create(mailcap, `k${++keys}`, { name: 'Blocked' }));
  const refused = await outcome(create(mailcap, key, { name: 'Blocked' }));
  expect(refused).toEqual({ status: 409, body: { error: 'subdomain_taken' } });
  await mailcap.api(`/_mailcap/mailboxes/${blocker.id}`, { method: 'DELETE' });
  const again = await create(mailcap, key, { name: 'Blocked' });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await outcome(again)).toEqual(refused);
});

test('the refusal of an unreadable body is replayed', async ({ mailcap }) => {
  const send = () =>
    mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
      method: 'POST',
      headers: { 'idempotency-key': 'unreadable', 'content-type': 'application/json' },
      body: '{',
    });
  expect(await outcome(send())).toEqual({ status: 400, body: { error: 'invalid_body' } });
  const again = await send();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await outcome(again)).toEqual({ status: 400, body: { error: 'invalid_body' } });
});

test('duplicates at the same time wait for the first: one runs, and all get its answer', async ({ mailcap }) => {
  const key = `k${++keys}`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(mailcap, key, { name: 'At once' })));
  const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
  expect(replayed).toHaveLength(19);
  const bodies = await Promise.all(answers.map((answer) => outcome(answer)));
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(bodies[0]?.status).toBe(201);
});

test('another API key of the workspace never gets the answer: its request runs', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap);
  const key = `k${++keys}`;
  const first = await create(mailcap, key, { name: 'Whose' }, { id, headers });
  const other = { authorization: `Bearer ${await addKey(mailcap, id)}` };
  const second = await create(mailcap, key, { name: 'Whose' }, { id, headers: other });
  expect([first.status, second.status]).toEqual([201, 409]);
  expect(second.headers.get('idempotency-replayed')).toBeNull();
  expect((await create(mailcap, key, { name: 'Whose' }, { id, headers })).headers.get('idempotency-replayed')).toBe(
    'true',
  );
});

test('the scope is API key, method, path and Idempotency-Key', async ({ mailcap }) => {
  const other = await addWorkspace(mailcap);
  const key = `k${++keys}`;
  const own = await create(mailcap, key, { name: 'Scope A' });
  const foreign = await create(mailcap, key, { name: 'Scope B' }, { id: other.id, headers: other.headers });
  const nowhere = await create(mailcap, key, { name: 'Scope C' }, { id: '01JD5Z3V8W0123456789ABCDEF' });
  expect([own.status, foreign.status, nowhere.status]).toEqual([201, 201, 404]);
});

test('after 24 hours the key is unused again', async ({ mailcap }) => {
  const key = `k${++keys}`;
  await create(mailcap, key, { name: 'Day' });
  mailcap.ctx.clock.setOffsetMs(86_400_000 - 60_000);
  expect((await create(mailcap, key, { name: 'Day' })).status).toBe(201);
  mailcap.ctx.clock.setOffsetMs(86_400_000);
  expect(await outcome(create(mailcap, key, { name: 'Day' }))).toEqual({
    status: 409,
    body: { error: 'subdomain_taken' },
  });
  mailcap.ctx.clock.setOffsetMs(0);
});

test('a key over 255 characters is 400 invalid_idempotency_key; of 255 it is one', async ({ mailcap }) => {
  expect(await outcome(create(mailcap, 'k'.repeat(256), { name: 'Long' }))).toEqual({
    status: 400,
    body: { error: 'invalid_idempotency_key' },
  });
  expect((await create(mailcap, 'k'.repeat(255), { name: 'Long' })).status).toBe(201);
});

test('without a key no answer is stored', async ({ mailcap }) => {
  const send = () => mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, { json: { name: 'No key' } });
  expect((await send()).status).toBe(201);
  expect((await send()).status).toBe(409);
});

test('401 and 429 are not stored', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap, { limits: 'cloud' });
  const key = `k${++keys}`;
  const unauthorized = await create(
    mailcap,
    key,
    { name: 'Not stored' },
    { id, headers: { authorization: 'Bearer x' } },
  );
  expect(unauthorized.status).toBe(401);
  for (let i = 0; i < 100; i++) await mailcap.api('/v1/mailboxes', { headers });
  expect((await create(mailcap, key, { name: 'Not stored' }, { id, headers })).status).toBe(429);
  await mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: { limits: 'off' } });
  const ran = await create(mailcap, key, { name: 'Not stored' }, { id, headers });
  expect([ran.status, ran.headers.get('idempotency-replayed')]).toEqual([201, null]);
});

plain('a replay with a different body returns the original answer, and is logged as a warning', async () => {
  const warnings: unknown[] = [];
  const log: Log = { error: () => {}, warn: (message) => warnings.push(message), info: () => {}, debug: () => {} };
  await using server = await startServer({ overrides: { log } });
  const first = await outcome(create(server, 'k', { name: 'One' }));
  expect(warnings).toEqual([]);
  expect(await outcome(create(server, 'k', { name: 'Two' }))).toEqual(first);
  expect(warnings).toHaveLength(1);
});

plain('effect and record are one transaction: where the record can’t be written, nothing was done', async () => {
  const store = memoryStore();
  await using server = await startServer({ overrides: { store } });
  const { transaction } = store;
  let broken = true;
  store.transaction = (body) =>
    transaction.call(store, (tx) => {
      const put = broken ? () => Promise.reject(new Error('broken')) : tx.idempotency.put;
      return body({ ...tx, idempotency: { ...tx.idempotency, put } });
    }) as ReturnType<typeof body>;
  expect((await create(server, 'k', { name: 'Both' })).status).toBe(500);
  broken = false;
  expect(await json<unknown[]>(server.api('/v1/mailboxes'))).toHaveLength(1);
  expect((await create(server, 'k', { name: 'Both' })).status).toBe(201);
});

test.each([
  ['a mailbox', (id: string) => `/_mailcap/mailboxes/${id}`],
  ['its workspace', (_: string, workspaceId: string) => `/_mailcap/workspaces/${workspaceId}`],
])('a stored answer says nothing that the client wrote once %s is deleted', async (_, pathOf) => {
  const store = memoryStore();
  await using server = await startServer({ overrides: { store } });
  const { id, headers } = await addWorkspace(server);
  const made = await json<{ id: string }>(create(server, 'k', { name: 'Confidential' }, { id, headers }));
  const record = async () => {
    const trace = await store.read.idempotency.get(`created ${made.id}`);
    return store.read.idempotency.get(trace?.body ?? '');
  };
  expect((await record())?.body).toContain('Confidential');
  expect((await server.api(pathOf(made.id, id), { method: 'DELETE' })).status).toBe(204);
  expect(JSON.parse((await record())?.body ?? '')).toEqual({ ...made, name: '', subdomain: '' });
});

test('a repeat after the mailbox was deleted creates none, and its answer has empty texts', async ({ mailcap }) => {
  const key = `k${++keys}`;
  const made = await json<{ id: string }>(create(mailcap, key, { name: 'Deleted' }));
  await mailcap.api(`/_mailcap/mailboxes/${made.id}`, { method: 'DELETE' });
  const again = await create(mailcap, key, { name: 'Deleted' });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await outcome(again)).toEqual({ status: 201, body: { ...made, name: '', subdomain: '' } });
});

test('deleting a resource leaves the answer whole if the key created another resource since', async ({ mailcap }) => {
  const key = `k${++keys}`;
  const old = await json<{ id: string }>(create(mailcap, key, { name: 'Older' }));
  mailcap.ctx.clock.setOffsetMs(86_400_000);
  const made = await outcome(create(mailcap, key, { name: 'Newer' }));
  await mailcap.api(`/_mailcap/mailboxes/${old.id}`, { method: 'DELETE' });
  expect(await outcome(create(mailcap, key, { name: 'Newer' }))).toEqual(made);
  mailcap.ctx.clock.setOffsetMs(0);
});
