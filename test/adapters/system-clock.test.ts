import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';

test('now follows the offset, sleeping does not', async () => {
  const clock = systemClock();
  const [before, steady] = [clock.now(), clock.steady()];
  clock.setOffsetMs(86_400_000);
  expect(clock.offsetMs()).toBe(86_400_000);
  expect(clock.now() - before).toBeGreaterThanOrEqual(86_400_000);
  await clock.sleep(5);
  expect(clock.steady() - steady).toBeGreaterThanOrEqual(4);
});

test('a cancelled sleep rejects with the reason', async () => {
  const clock = systemClock();
  const controller = new AbortController();
  const reason = new Error('no more');
  const sleeping = clock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(clock.sleep(60_000, controller.signal)).rejects.toBe(reason);
});

test('a scheduled call can be cancelled', async () => {
  const clock = systemClock();
  const done: string[] = [];
  clock.after(1, () => done.push('called off'))();
  await new Promise<void>((resolve) => clock.after(5, resolve));
  expect(done).toEqual([]);
});

test('a clock that follows another moves by whole milliseconds, and keeps its offset', () => {
  const clock = systemClock();
  clock.setOffsetMs(60_000);
  clock.follow(10_000.7);
  clock.follow(-3_000);
  expect(clock.offsetMs()).toBe(60_000);
  expect(Math.abs(clock.now() - Date.now() - 67_000)).toBeLessThan(1_000);
});
