import { expect, test } from 'vitest';
import { createLimiter } from '../../src/adapters/rate-limiter.ts';
import type { KeyId, WorkspaceId } from '../../src/domain/ids.ts';

const key = (i: number) => `K${i}` as KeyId;
const WORKSPACE = 'W' as WorkspaceId;

test('each key has its own count, and all keys of a workspace share one', async () => {
  const limiter = createLimiter();
  for (let i = 0; i < 1_000; i++)
    expect(await limiter.hit(key(i % 10), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({ allowed: true });
  expect(await limiter.hit(key(11), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({
    allowed: false,
    limit: 1_000,
  });
  expect(await limiter.hit(key(11), 'V' as WorkspaceId, { now: 0, offsetMs: 0 })).toMatchObject({
    allowed: true,
    limit: 100,
    remaining: 98,
  });
});

test('reset forgets every window', async () => {
  const limiter = createLimiter();
  for (let i = 0; i < 101; i++) await limiter.hit(key(1), WORKSPACE, { now: 0, offsetMs: 0 });
  await limiter.reset();
  expect(await limiter.hit(key(1), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({ allowed: true, remaining: 99 });
});

test('a request that the limit of a key refuses does not count for its workspace', async () => {
  const limiter = createLimiter();
  for (let i = 0; i < 1_200; i++) await limiter.hit(key(1), WORKSPACE, { now: 0, offsetMs: 0 });
  expect(await limiter.hit(key(1), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({ allowed: false, limit: 100 });
  for (let i = 0; i < 900; i++)
    expect(await limiter.hit(key(2 + (i % 9)), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({ allowed: true });
  expect(await limiter.hit(key(20), WORKSPACE, { now: 0, offsetMs: 0 })).toMatchObject({
    allowed: false,
    limit: 1_000,
  });
});
