import { expect, test } from 'vitest';
import { isUrl } from '../../src/text/url.ts';

test.each([
  ['http://bücher.example/grüße', undefined, true],
  ['mailto:ada@x.test', undefined, true],
  ['/a', undefined, false],
  ['/a', 'http://x.test', true],
  ['http://', undefined, false],
  ['', undefined, false],
])('%j, from %j: %j', (text, base, expected) => {
  expect(isUrl(text, base)).toBe(expected);
});

test('a URL with an umlaut is a URL at each call', () => {
  const wrong = Array.from({ length: 20_000 }, (_, at) => at).find(() => !isUrl('http://bücher.example/grüße'));
  expect(wrong).toBeUndefined();
});
