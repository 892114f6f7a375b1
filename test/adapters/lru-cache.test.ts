import { expect, test } from 'vitest';
import { LruCache } from '../../src/adapters/lru-cache.ts';

test('over its limit the cache forgets the entry that was not used for the longest time', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

test('values may count by their size, also after one took the place of another or was deleted', () => {
  const cache = new LruCache<string, string>(10, ({ length }) => length);
  cache.set('a', 'x'.repeat(8));
  cache.set('a', 'x'.repeat(2));
  cache.set('b', 'x'.repeat(8));
  expect(cache.get('a')).toBe('xx');
  cache.delete('b');
  cache.set('c', 'x'.repeat(8));
  expect(cache.get('a')).toBe('xx');
  cache.set('d', 'x');
  expect([cache.get('a'), cache.get('c'), cache.get('d')]).toEqual(['xx', undefined, 'x']);
});

test('the newest entry stays even if it is larger than the limit', () => {
  const cache = new LruCache<string, string>(10, ({ length }) => length);
  cache.set('a', 'x');
  cache.set('b', 'x'.repeat(11));
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'x'.repeat(11)]);
});
