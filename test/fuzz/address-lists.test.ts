import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalDomain } from '../../src/domain/address.ts';
import { parseAddressList } from '../../src/domain/address-list.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

const PIECES = [
  ...[
    '<',
    '>',
    '@',
    ':',
    ';',
    ',',
    '"',
    '\\',
    '.',
    ' ',
    '\t',
    '[',
    ']',
    '(',
    ')',
    '\r\n',
    '\r\n ',
    '\n',
    '\0',
    '=?utf-8?Q?a?=',
  ],
  ...[
    'a',
    'John',
    'Q.',
    'x.test',
    'bücher.example',
    'xn--bcher-kva.example',
    '127.0.0.1',
    'IPv6:::1',
    'a@x.test',
    '<b@y.test>',
  ],
  ...['"B, C" <b@x.test>', '\u200b', '\ufffd', '\u2028', '😀', '\ud83d', '。', '(a (b) c)', 'group:', '@r.test:'],
];
const text = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PIECES) }, anyText({ maxLength: 6 })), {
    maxLength: 20,
  })
  .map((pieces) => pieces.join(''));

test('any list is read as addresses that are read again as they are', () => {
  fc.assert(
    fc.property(text, (given) => {
      const list = parseAddressList(given);
      if (list === null) return;
      for (const { address, domain, name } of list) {
        // A line break or a control character would start another header or another command.
        expect(`${address}${name}`).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(address.endsWith(`@${domain}`)).toBe(true);
        if (!domain.startsWith('[')) expect(normalDomain(domain)).toBe(domain);
        expect(parseAddressList(address)).toEqual([{ address, domain, name: null }]);
      }
    }),
    {
      numRuns: propertyRuns(5_000),
      examples: [
        ['a@x。'],
        ['a@x.test,'],
        ['"a b"@x.test'],
        ['"a\tb"@x.test'],
        ['"B,\tC" <b@x.test>'],
        ['a@[127.0.0.1]'],
      ],
    },
  );
});

const localPart = fc.constantFrom('a', 'first.last', "o'hara+tag", '"a b"', '"a@b"', '"\\""', 'ü', '"x,y"');
const domain = fc.constantFrom('x.test', 'BÜCHER.example', 'a-b.c.test', '[127.0.0.1]', 'xn--bcher-kva.example');
const name = fc.oneof(
  fc.constantFrom('John Q. Public', 'B, C', 'a "b" \\c', '(x)', '<a@b>', 'Jørn 😀'),
  fc.string({ unit: 'grapheme-ascii' }),
);

test('a well-formed list is read with every name and every address, in order', () => {
  const entry = fc.tuple(
    localPart,
    domain,
    fc.option(name),
    fc.constantFrom('', ' ', '\t', ' (a comment, with (another)) '),
  );
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
      const written = entries.map(([local, at, called, gap]) =>
        called === null
          ? `${gap}${local}@${at}${gap}`
          : `"${called.replace(/["\\]/g, '\\$&')}"${gap}<${local}@${at}>${gap}`,
      );
      const list = parseAddressList(written.join(','));
      expect(list?.map((one) => one.name)).toEqual(entries.map(([, , called]) => called));
      expect(list?.map((one) => one.address)).toEqual(
        entries.map(([local, at]) => `${local}@${at.startsWith('[') ? at : normalDomain(at)}`),
      );
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test.each(['"\\', '(', '(a)', 'a@b.c,', '<', '.', 'a ', '"a" ', '\u00fc', 'a@x.', '[', ' '])(
  'a list of %j over and over costs no more than its length',
  (piece) => {
    const list = piece.repeat(500_000 / piece.length);
    for (const hostile of [list, `a@x.test,${list}`, `"${list}" <a@x.test>`, `a@${list}`, `(${list}) a@x.test`]) {
      const start = processorMs();
      parseAddressList(hostile);
      expect(processorMs() - start).toBeLessThan(1_000);
    }
  },
);
