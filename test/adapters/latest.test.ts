import { expect, test } from 'vitest';
import { Latest } from '../../src/adapters/latest.ts';

test('over its bound it forgets what was longest not asked for', () => {
  const latest = new Latest<string, number>(2);
  latest.set('a', 1);
  latest.set('b', 2);
  expect(latest.get('a')).toBe(1);
  latest.set('c', 3);
  expect([latest.get('a'), latest.get('b'), latest.get('c')]).toEqual([1, undefined, 3]);
});

test('values may count by their size, also after one took the place of another or was deleted', () => {
  const latest = new Latest<string, string>(10, ({ length }) => length);
  latest.set('a', 'x'.repeat(8));
  latest.set('a', 'x'.repeat(2));
  latest.set('b', 'x'.repeat(8));
  expect(latest.get('a')).toBe('xx');
  latest.delete('b');
  latest.set('c', 'x'.repeat(8));
  expect(latest.get('a')).toBe('xx');
  latest.set('d', 'x');
  expect([latest.get('a'), latest.get('c'), latest.get('d')]).toEqual(['xx', undefined, 'x']);
});

test('the newest stays even where it is larger than the bound', () => {
  const latest = new Latest<string, string>(10, ({ length }) => length);
  latest.set('a', 'x');
  latest.set('b', 'x'.repeat(11));
  expect([latest.get('a'), latest.get('b')]).toEqual([undefined, 'x'.repeat(11)]);
});
