import { expect, test } from 'vitest';
import { ParseQueue } from '../../src/adapters/parse-pool.ts';

const KB = 1024;
const MB = 1024 * KB;

function queueOf(...sizes: number[]): ParseQueue<number> {
  const queue = new ParseQueue<number>();
  for (const sizeBytes of sizes) queue.add(sizeBytes, sizeBytes);
  return queue;
}

function takeAll(queue: ParseQueue<number>): number[] {
  const taken: number[] = [];
  for (let next = queue.take(true); next !== undefined; next = queue.take(true)) taken.push(next.task);
  return taken;
}

test('tasks of the same size run in their order', () => {
  const queue = new ParseQueue<string>();
  for (const name of ['a', 'b', 'c']) queue.add(name, 10 * KB);
  expect([1, 2, 3].map(() => queue.take(true)?.task)).toEqual(['a', 'b', 'c']);
});

test('a small task overtakes earlier large ones', () => {
  expect(takeAll(queueOf(15 * MB, 10 * MB, 400 * KB))).toEqual([400 * KB, 10 * MB, 15 * MB]);
});

test('fewer tasks overtake a large task than it has blocks of 64 KiB', () => {
  const queue = queueOf(2 * MB, ...Array.from({ length: 1_000 }, () => 1 * KB));
  expect(takeAll(queue).indexOf(2 * MB)).toBe(31);
});

test('no second large task begins while one runs', () => {
  const queue = queueOf(15 * MB, 2 * MB, 1 * MB);
  expect(queue.take(false)).toMatchObject({ task: 1 * MB, isLarge: false });
  expect(queue.take(false)).toBeUndefined();
  expect(queue.take(true)).toMatchObject({ task: 2 * MB, isLarge: true });
});
