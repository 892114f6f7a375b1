import { expect, test } from 'vitest';
import { matchesGlob, parseGlob } from '../../src/domain/glob.ts';
import { processorMs } from '../support/processor-time.ts';

test.each([
  ['a@x.test', 'a@x.test', true],
  ['A@x.test', 'a@x.test', true],
  ['a@x.test', 'aa@x.test', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['*@slow.*', 'user@slow.mailcap.example.com', true],
  ['*@slow.*', 'user@fast.mailcap.example.com', false],
  ['*@slow.*', 'slow.mailcap.example.com', false],
  ['a*', 'a', true],
  ['*a', 'ba', true],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a**b', 'ab', true],
  ['a.b', 'axb', false],
  ['a?b', 'axb', false],
  ['(a+)+$', '(a+)+$', true],
  ['/v1/mailboxes/*/messages', '/v1/mailboxes/01JD/messages', true],
  ['/v1/mailboxes/*/messages', '/v1/mailboxes/01JD/messages/await', false],
])('%s against %s is %s', (pattern, text, expected) => {
  expect(matchesGlob(parseGlob(pattern), text.toLowerCase())).toBe(expected);
});

test('no pattern makes a long text take long', () => {
  const glob = parseGlob(`${'*a'.repeat(499)}*b`);
  const text = 'a'.repeat(16_384);
  const started = processorMs();
  for (let n = 0; n < 100; n++) expect(matchesGlob(glob, text)).toBe(false);
  expect(processorMs() - started).toBeLessThan(1_000);
});
