import { expect, test } from 'vitest';
import { idempotencyId, isReplayable, isStored } from '../../src/domain/idempotency.ts';
import type { KeyId, WorkspaceId } from '../../src/domain/ids.ts';
import { isExpired, retentionCutoff } from '../../src/domain/message.ts';
import { DAY_MS } from '../../src/domain/time.ts';

test.each([
  [0, false],
  [3 * DAY_MS - 1, false],
  [3 * DAY_MS, true],
  [4 * DAY_MS, true],
])('of three days, after %s ms: gone %s', (now, gone) => {
  expect(isExpired(0, { shown: retentionCutoff(3, now) })).toBe(gone);
});

test('an idempotent answer is replayed for 24 hours', () => {
  const record = {
    id: '',
    workspaceId: 'W' as WorkspaceId,
    status: 201,
    body: null,
    headers: {},
    bodyHash: '',
    createdAt: 1_000,
    storedAt: 1_000,
  };
  expect(isReplayable(record, 1_000 + DAY_MS - 1)).toBe(true);
  expect(isReplayable(record, 1_000 + DAY_MS)).toBe(false);
});

test.each([
  [201, true],
  [400, true],
  [404, true],
  [409, true],
  [401, false],
  [429, false],
  [500, false],
  [503, false],
])('an answer of %s is stored: %s', (status, stored) => {
  expect(isStored(status)).toBe(stored);
});

test('the scope is API key + method + path + Idempotency-Key', () => {
  const ids = [
    idempotencyId('A' as KeyId, 'POST', '/v1/x', 'k'),
    idempotencyId('B' as KeyId, 'POST', '/v1/x', 'k'),
    idempotencyId('A' as KeyId, 'PUT', '/v1/x', 'k'),
    idempotencyId('A' as KeyId, 'POST', '/v1/y', 'k'),
    idempotencyId('A' as KeyId, 'POST', '/v1/x', 'k k'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
