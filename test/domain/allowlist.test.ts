import { expect, test } from 'vitest';
import { isAllowlistEntry } from '../../src/domain/outbound.ts';

test.each([
  'a@x.test',
  '*.x.test',
  '*.mailcap.example.com',
  'ü@bücher.test',
  '*.bücher.test',
  '*@x.test',
  '*@bücher.test',
  'A+b@X.test',
])('%s', (entry) => {
  expect(isAllowlistEntry(entry)).toBe(true);
});

test.each([
  '',
  'x.test',
  '*',
  '*.',
  '*x.test',
  '*@',
  '*@*.x.test',
  '*@-x.test',
  '*.x..test',
  'ada*@x.test',
  'a@*.x.test',
  'a@-x.test',
  'a..b@x.test',
  `${'a'.repeat(65)}@x.test`,
  '@x.test',
  'a@',
  'a b@x.test',
  'a@x,test',
  'a,b@x.test',
  `${'a'.repeat(400)}@x.test`,
])('%j is no entry', (entry) => {
  expect(isAllowlistEntry(entry)).toBe(false);
});
