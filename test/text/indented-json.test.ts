import { expect, test } from 'vitest';
import { indentedJson } from '../../src/text/indented-json.ts';

test('JSON is indented as programs do it', () => {
  const values = [
    { a: 1, b: [], c: {}, d: [1, [true, null], { e: 'x, {y}: "z" \\' }] },
    [],
    {},
    'text',
    -1.5,
    null,
    [[]],
  ];
  for (const value of values) expect(indentedJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test.each([JSON.stringify(['"\n'.repeat(2_000_000)]), JSON.stringify({ a: 'x'.repeat(4_000_000) })])(
  'a long text fills no stack: %.12s',
  (text) => expect(indentedJson(text) === JSON.stringify(JSON.parse(text), null, 2)).toBe(true),
);

test('what a program would lose stays: long numbers, repeated names, escapes and zeros', () => {
  const text = '{"id":12345678901234567890,"f":1.10,"e":1E400,"n":1,"n":2,"s":"\\u202e\\/","zero":-0}';
  const lines = text
    .slice(1, -1)
    .replaceAll('":', '": ')
    .split(/,(?=")/);
  expect(indentedJson(text)).toBe(`{\n  ${lines.join(',\n  ')}\n}`);
});

test.each(['', '{"a":1,}', '[', "{'a':1}", 'NaN', '['.repeat(101) + ']'.repeat(101), '['.repeat(50_000)])(
  'no JSON, and one that nests too deep, is left as it is: %.20s',
  (text) => expect(indentedJson(text)).toBeNull(),
);
