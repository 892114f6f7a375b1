import { expect, test } from 'vitest';
import type { WebhookId } from '../../src/domain/ids.ts';
import { ArrivingBodies } from '../../src/http/capture.ts';
import { manualClock } from '../support/clock.ts';

// The cast is safe: these ids are only compared.
const [A, B, C] = ['a', 'b', 'c'] as unknown as [WebhookId, WebhookId, WebhookId];

function room() {
  const clock = manualClock();
  const bodies = new ArrivingBodies({ webhook: 10, server: 15 }, clock);
  const ended: string[] = [];
  const enter = (id: WebhookId, name = '') => bodies.enter(id, () => ended.push(name));
  return { clock, enter, ended };
}

/** Tells whether a promise has settled once everything that could settle it has run. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  promise.then(
    () => (over = true),
    () => (over = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

test('bodies are read until their webhook or the server has no room, and the next ones wait', async () => {
  const { enter } = room();
  const first = enter(A);
  await first.grow(8);
  const second = enter(A).grow(3);
  const other = enter(B);
  await expect(isOver(second)).resolves.toBe(false);
  const third = other.grow(7);
  await expect(isOver(third)).resolves.toBe(true);
  const fourth = enter(C).grow(1);
  await expect(isOver(fourth)).resolves.toBe(false);
  first.leave();
  await Promise.all([second, fourth]);
});

test('a body that is alone is read, however large it is', async () => {
  const { enter } = room();
  const large = enter(A);
  await large.grow(5);
  await large.grow(95);
  const small = enter(B).grow(1);
  await expect(isOver(small)).resolves.toBe(false);
  large.leave();
  await small;
});

test('after 10 s without room a body is refused, and bodies that have been arriving for so long are ended', async () => {
  const { enter, clock, ended } = room();
  const slow = enter(A, 'slow');
  await slow.grow(10);
  const waiting = enter(A, 'waiting').grow(1);
  await expect(isOver(waiting)).resolves.toBe(false);
  expect(ended).toEqual([]);
  clock.pass(10_000);
  await expect(waiting).rejects.toMatchObject({ code: 'capture_quota_reached', extra: { retryAfter: 1 } });
  expect(ended).toEqual(['slow']);
  const next = enter(A, 'next').grow(1);
  await expect(isOver(next)).resolves.toBe(false);
  expect(ended).toEqual(['slow']);
  slow.leave();
  await next;
});
