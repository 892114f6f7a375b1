import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUlid, ulidTime } from '../../src/domain/ids.ts';

const ID = '01JD5Z3V8W0123456789ABCDEF';

test('ULIDs are written as 26 upper-case Crockford characters and accepted in either case', () => {
  expect(parseUlid(ID)).toBe(ID);
  expect(parseUlid(ID.toLowerCase())).toBe(ID);
});

test.each([
  '',
  'await',
  ID.slice(1),
  `${ID}0`,
  `8${ID.slice(1)}`, // this exceeds 128 bits
  `01JD5Z3V8W0123456789ABCDEI`, // I, L, O and U are not in the alphabet
  `01JD5Z3V8W0123456789ABCDEU`,
  `01JD5Z3V8W0123456789ABCDE\u017f`, // the upper case of this letter is an S
  ` ${ID.slice(1)}`,
  `${ID}\n`,
])('an id that is no ULID is unknown: %j', (text) => {
  expect(parseUlid(text)).toBeNull();
});

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string(), (text) => parseUlid(text) === null || text.length === 26));
});

test('the time of a ULID is its first ten characters', () => {
  const id = parseUlid('01ARYZ6S41TSV4RRFFQ69G5FAV');
  expect(id === null ? null : ulidTime(id)).toBe(1469918176385);
});
