import { expect, test } from 'vitest';
import { refuse } from '../../src/domain/errors.ts';
import type { Log } from '../../src/ports/system.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer } from '../support/mailcap.ts';
import { json } from './support.ts';

test('an unexpected failure is 500 internal_error with its request id, and its stack is in the log alone', async () => {
  const store = memoryStore();
  const logged: unknown[] = [];
  const log: Log = {
    error: (message, fields) => logged.push([message, fields]),
    warn: () => {},
    info: () => {},
    debug: () => {},
  };
  await using server = await startServer({ overrides: { store, log } });
  store.read.mailboxes.list = async () => {
    throw new Error('SELECT * FROM /secret/path');
  };
  const response = await server.api('/v1/mailboxes');
  const requestId = response.headers.get('x-request-id');
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: 'internal_error', requestId });
  expect(logged).toEqual([['a request failed', expect.objectContaining({ requestId })]]);
});

test('a disk that takes nothing is 503 storage_unavailable, and nothing was stored', async () => {
  const store = memoryStore();
  await using server = await startServer({ overrides: { store } });
  const { transaction } = store;
  let full = true;
  store.transaction = async (body) => {
    if (full) throw refuse('storage_unavailable');
    return transaction.call(store, body) as ReturnType<typeof body>;
  };
  const create = () =>
    server.api(`/v1/workspaces/${server.workspaceId}/mailboxes`, {
      json: { name: 'shop' },
      headers: { 'idempotency-key': 'k' },
    });
  const refused = await create();
  expect([refused.status, await refused.json()]).toEqual([503, { error: 'storage_unavailable' }]);
  expect(await json<unknown[]>(server.api('/v1/mailboxes'))).toHaveLength(1);
  full = false;
  // The server does not store a 5xx answer, so the retry runs.
  const retried = await create();
  expect(retried.status).toBe(201);
  expect(retried.headers.get('idempotency-replayed')).toBeNull();
});
