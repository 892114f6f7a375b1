import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHeader } from '../../src/mail/header-text.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

test.each([
  ['plain text as it is', 'Hello  there', 'Hello  there'],
  ['folds as one space', 'Hello\r\n\tthere,\n   you', 'Hello there, you'],
  ['an encoded word of RFC 2047, Q', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus?= Wien', 'Grüße aus Wien'],
  ['an encoded word, B', '=?UTF-8?B?8J+YgA==?=', '😀'],
  ['words that part a character, as one', '=?utf-8?B?8J8=?=\r\n =?utf-8?B?mIA=?=', '😀'],
  ['Shift JIS', '=?Shift_JIS?B?k/qWe4zq?=', '日本語'],
  ['ISO-2022-JP', '=?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=', '日本語'],
  ['an unknown charset as well as may be', '=?x-unknown?Q?abc?=', 'abc'],
  ['what is no encoded word as it is', '=?utf-8?X?abc?= =?broken', '=?utf-8?X?abc?= =?broken'],
  ['raw UTF-8 (RFC 6532)', 'Grüße', 'Grüße'],
  ['an escape sequence without its power', '=?utf-8?Q?=1B[31mred=07?= \u009b2J', '[31mred   2J'],
  ['line breaks as spaces', '=?utf-8?Q?a=0D=0AX-Injected:_b?=', 'a  X-Injected: b'],
  ['Unicode line separators as spaces', '=?utf-8?B?YeKAqGI=?=', 'a b'],
])('a header shows %s', (_what, written, text) => {
  expect(decodeHeader('subject', Buffer.from(` ${written}\r\n`))).toBe(text);
});

test('raw bytes that are no UTF-8 are read as Latin-1', () => {
  expect(decodeHeader('subject', Buffer.from(' Formação \x80\r\n', 'latin1'))).toBe('Formação €');
});

test.each([
  ['of its charset', '=?iso-8859-1?Q?Fr\xf6sche?=', 'Frösche'],
  ['beside escaped ones', '=?iso-8859-15?Q?\xa4_=A4?= 5', '€ € 5'],
  ['of a charset of two bytes', '=?shift_jis?Q?\x93\xfa\x96{?=', '日本'],
  ['in words that are one text', '=?iso-8859-1?Q?Fr\xf6?= =?iso-8859-1?Q?sche_\xfc?=', 'Frösche ü'],
  ['that are UTF-8 whatever the word says', '=?iso-8859-1?Q?Fr\xc3\xb6sche?=', 'Frösche'],
  ['that are no UTF-8 though the word says so', '=?utf-8?Q?Fr\xf6sche?=', 'Frösche'],
  ['beside raw bytes outside of it', 'K\xf6nig =?iso-8859-1?Q?Fr\xf6sche?=', 'König Frösche'],
])('raw bytes in an encoded word are decoded once: %s', (_what, written, text) => {
  expect(decodeHeader('subject', Buffer.from(` ${written}\r\n`, 'latin1'))).toBe(text);
  const list = `${written} <a@x.test>`;
  expect(decodeHeader('from', Buffer.from(list, 'latin1'))).toBe(`${text} <a@x.test>`);
});

test.each([
  ['many words', `${'=?utf-8?Q?=C3=BC?= '.repeat(100_000)}`, /^ü{1000,}.*=\?utf-8\?Q\?=C3=BC\?=$/u],
  ['words of no known charset', '=?x-none?Q?a?= '.repeat(1_000), /^a{50,}.*=\?x-none\?Q\?a\?=$/u],
  ['a word that takes long', `=?utf-7?Q?${'+AGE-'.repeat(50_000)}?=`, /^=\?utf-7\?Q\?\+AGE-/],
])('a cheap part of %s is decoded, and the rest stays as it is written', (_what, written, text) => {
  const start = processorMs();
  expect(decodeHeader('subject', Buffer.from(written))).toMatch(text);
  expect(processorMs() - start).toBeLessThan(300);
});

test.each(['', ' ', '\r\n', '\t\r\n \r\n', '\0', '=?utf-8?Q?_?='])('a header of %j is null', (written) => {
  expect(decodeHeader('subject', Buffer.from(written))).toBeNull();
});

test.each([
  ['a name', '=?utf-8?Q?J=C3=B8rn?= <j@x.test>', 'Jørn <j@x.test>'],
  ['specials in it are quoted', '=?utf-8?Q?B=2C_C?= <b@x.test>, d@x.test', '"B, C" <b@x.test>, d@x.test'],
  ['a dot is none', '=?utf-8?Q?J=2E_=C3=98?= <j@x.test>', 'J. Ø <j@x.test>'],
  ['quotes and backslashes are escaped', '=?utf-8?Q?a=22b=5Cc?= <a@x.test>', '"a\\"b\\\\c" <a@x.test>'],
  ['between quotes only those', '"=?utf-8?Q?B=2C_=22C=22?=" <b@x.test>', '"B, \\"C\\"" <b@x.test>'],
  ['in a comment parentheses', 'a@x.test (=?utf-8?Q?B=29=2C?=)', 'a@x.test (B\\),)'],
  ['an address is none', '<=?utf-8?Q?evil=40x=2Etest?=>', '<=?utf-8?Q?evil=40x=2Etest?=>'],
  ['an address made of one', '=?utf-8?Q?evil=40x=2Etest?=', '"evil@x.test"'],
  ['several words are one', '=?utf-8?Q?B=2C?= =?utf-8?Q?_C?= <b@x.test>', '"B, C" <b@x.test>'],
  ['an escaped quote ends nothing', '"a\\" =?utf-8?Q?B=2C?=" <b@x.test>', '"a\\" B," <b@x.test>'],
])('an encoded word in an address list: %s', (_what, written, text) => {
  expect(decodeHeader('to', Buffer.from(written))).toBe(text);
});

const PIECES = [
  '=?',
  '?=',
  'utf-8',
  'iso-2022-jp',
  'utf-7',
  '?B?',
  '?Q?',
  '=C3=BC',
  '8J+YgA==',
  '"',
  '\\',
  '<',
  '>',
  '(',
  ')',
  ',',
  ' ',
  '\r\n ',
  '\0',
  '\x1b$B',
  'ü',
  'a@x.test',
  '__\0JOIN\0__',
];
const value = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(''))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

test('the text of any header has no control character and is not longer than the header', () => {
  fc.assert(
    fc.property(value, fc.constantFrom('subject', 'to'), (bytes, name) => {
      const text = decodeHeader(name, bytes) ?? '';
      expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      // Quoting the content of an encoded word may double its length.
      expect(text.length).toBeLessThanOrEqual(2 * bytes.length + 2);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

const LONG = 240_000;
test.each([
  ['quotes never closed', '"\\'.repeat(LONG / 2)],
  ['openings without end', '=?'.repeat(LONG / 2)],
  ['words cut short', '=?a?Q?'.repeat(LONG / 6)],
  ['brackets never closed', `=?a?Q?x?=${'<('.repeat(LONG / 2)}`],
  ['white space', `=?a?Q?x?=${' '.repeat(LONG)}x`],
  ['words in a list', '=?utf-8?Q?a=2Cb?= <a@b.c>,'.repeat(LONG / 26)],
])('a header of %s costs no more than its length', (_what, written) => {
  const bytes = Buffer.from(written);
  const start = processorMs();
  decodeHeader('to', bytes);
  expect(processorMs() - start).toBeLessThan(500);
});
