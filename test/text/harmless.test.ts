import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmlessLine, harmlessText } from '../../src/text/harmless.ts';
import { anyText } from '../support/any-text.ts';

test.each([
  ['an escape sequence', 'a\u001b[2Jb', 'a␛[2Jb'],
  ['an 8-bit escape', 'a\u009b2Jb', 'a\ufffd2Jb'],
  ['a bell and a null', '\u0007\u0000', '␇␀'],
  ['a bidi override', 'invoice\u202egpj.exe', 'invoicegpj.exe'],
  ['bidi isolates', '\u2066a\u2069', 'a'],
  ['invisible tags', `a${'\u{e0041}'.repeat(3)}b`, 'ab'],
  ['a zero width space', 'pay\u200bpal', 'paypal'],
  ['a family, which a joiner holds together', '👩\u200d👩\u200d👦', '👩\u200d👩\u200d👦'],
  ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ['marks piled on a letter', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
  ['right-to-left text, as it is', 'שלום', 'שלום'],
  ['lines and tabs, as they are', 'a\r\nb\rc\td', 'a\nb\nc\td'],
])('a text with %s', (_, text, shown) => {
  expect(harmlessText(text)).toBe(shown);
});

test('a line has no breaks and a length', () => {
  expect(harmlessLine(' a\r\n b\tc\u2028d ')).toBe('a b c d');
  expect(harmlessLine('x'.repeat(10_000), 20)).toBe(`${'x'.repeat(19)}…`);
  expect([...harmlessLine('👍'.repeat(600), 100)].length).toBe(100);
});

test('whatever a stranger writes, nothing that drives a terminal is left', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
      expect(harmlessText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
