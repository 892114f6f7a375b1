import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold, foldPieces } from '../../src/text/fold.ts';
import { propertyRuns } from '../support/night.ts';

test.each([
  ['Hello  World\r\n\tagain', 'hello world again'],
  ['GRÜSSE Grüße GRÜẞE', 'grüsse grüsse grüsse'],
  ['ΟΔΟΣ οδος Σίγμα', 'οδοσ οδοσ σίγμα'],
  ['Ｍａｉｌ　１２３ ｶﾞｲﾄﾞ', 'mail 123 ガイド'],
  ['pass\u00adword zero\u200bwidth \ufeffbom', 'password zerowidth bom'],
  ['İstanbul ISPARTA ısparta', 'istanbul isparta isparta'],
  ['Cafe\u0301 ﬁn', 'café fin'],
  ['您的验证码是', '您的验证码是'],
  ['a\u0000b\u0085c', 'a b c'],
  ['half \ud800.', 'half \ufffd.'],
  ['👩\u200d💻', '👩💻'],
])('%j folds to %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

const anything = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('e', '\u0301', '\u00ad', 'ß', 'Σ', 'İ', 'ı', 'I', '\u0307', 'Ａ', 'ｶ', 'ﾞ', '\u1100', '\u1161'),
      fc.constantFrom(' ', '\t', '\u3000', '\u00a8', 'H', '\u0331', '\ud800', '😀', '\u200d', '中', '\u{10f4d}'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

test('folding a folded text changes nothing, and it has no control character and no second space', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const folded = fold(text);
      expect(fold(folded)).toBe(folded);
      expect(folded).not.toMatch(/[\p{Cc}\u00ad]|\s\s/u);
    }),
    { numRuns: propertyRuns(20_000) },
  );
});

test('the folded pieces of a text are the folded text, wherever it is cut', () => {
  fc.assert(
    fc.property(anything, fc.array(fc.integer({ min: 1, max: 5 })), (text, sizes) => {
      const pieces: string[] = [];
      let at = 0;
      for (const size of [...sizes, text.length]) {
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect([...foldPieces(pieces)].join('')).toBe(fold(text));
    }),
    { numRuns: propertyRuns(20_000) },
  );
});
