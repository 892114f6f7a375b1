import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Served, serveWith } from '../faults/served.ts';
import { attacked } from './attacked.ts';

/** A heap that the bodies of all rounds would fill. */
const HEAP = '--max-old-space-size=64';
const ROUNDS = 24;
/** One letter beyond Latin-1 makes each character take two bytes of the heap. */
const BODY = `${'x'.repeat(1_000_000)}Ā`;

interface Webhook {
  readonly id: string;
  readonly responseBody: string;
}

async function create({ ready }: Served, idempotencyKey: string, responseBody: string): Promise<Webhook> {
  const response = await fetch(`${ready.url}/v1/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ready.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({ responseBody }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Webhook; // docs/api.md#webhooks
}

async function remove({ ready }: Served, { id }: Webhook): Promise<void> {
  const headers = { authorization: `Bearer ${ready.apiKey}` };
  const response = await fetch(`${ready.url}/v1/webhooks/${id}`, { method: 'DELETE', headers });
  expect(response.status).toBe(204);
}

test('webhooks that are created with large bodies and deleted leave no body in memory, nor at the next start', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-idempotency-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const served = await serveWith(HEAP, directory, '--durability', 'os');
  const kept = await create(served, 'kept', BODY);
  let first: Webhook | undefined;
  await attacked(served, `${ROUNDS} webhooks of 1 MB, each created with an Idempotency-Key and deleted`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const hook = await create(served, `round-${round}`, BODY);
      first ??= hook;
      await remove(served, hook);
    }
  });
  expect(await served.end('SIGTERM')).toBe(0);
  const again = await serveWith(HEAP, directory, '--durability', 'os');
  expect(await create(again, 'kept', 'another')).toEqual(kept);
  expect(await create(again, 'round-0', BODY)).toMatchObject({ id: first?.id, responseBody: '' });
  expect(await again.get<unknown[]>('/v1/webhooks')).toHaveLength(1);
  expect(await again.end('SIGTERM')).toBe(0);
});
