import { expect, test } from 'vitest';
import { firstIdBeyond, prefixOf } from '../../src/cli/named.ts';

test.each([
  ['01KA', '01KB0000000000000000000000'],
  ['01KASDFGHJKMNPQRSTVWXYZ012', '01KASDFGHJKMNPQRSTVWXYZ013'],
  // An id that ends with Z begins with this, too.
  ['01KASDFGHJKMNPQRSTVWXYZ01', '01KASDFGHJKMNPQRSTVWXYZ020'],
  ['01KZ', '01M00000000000000000000000'],
  ['0ZZZ', '10000000000000000000000000'],
  ['01HZ', '01J00000000000000000000000'],
])('the least id after all that begin with %s', (prefix, beyond) => {
  expect(firstIdBeyond(prefix)).toBe(beyond);
  expect(prefix.padEnd(26, 'Z') < beyond).toBe(true);
});

test('no prefix of an id is empty or begins with a digit other than 0', () => {
  expect(['', '0', '012', '1234', '01KU', 'Z'].map(prefixOf)).toEqual([null, null, null, null, null, null]);
  expect(prefixOf('01ka')).toBe('01KA');
});
