import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddressList } from '../../src/domain/address-list.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

const addresses = (text: string) => parseAddressList(text)?.map(({ address }) => address) ?? null;

test.each<[string, string[]]>([
  ['a@x.test', ['a@x.test']],
  ['  a@x.test\t', ['a@x.test']],
  ['a@x.test, "B, C" <b@x.test>', ['a@x.test', 'b@x.test']],
  ['<a@x.test>', ['a@x.test']],
  ['Ada <a@x.test>,Bob<b@x.test>', ['a@x.test', 'b@x.test']],
  ['John Q. Public <john@x.test>', ['john@x.test']],
  ['Ada (the first (of them)) <a@x.test> (at home)', ['a@x.test']],
  ['a@x.test (comment with , and ) ', ['a@x.test']],
  ['(\\)) a@x.test', ['a@x.test']],
  ['a+tag.b@x.test', ['a+tag.b@x.test']],
  ["!#$%&'*+-/=?^_`{|}~@x.test", ["!#$%&'*+-/=?^_`{|}~@x.test"]],
  ['"a b"@x.test', ['"a b"@x.test']],
  ['"a\\"b"@x.test', ['"a\\"b"@x.test']],
  ['"@"@x.test', ['"@"@x.test']],
  ['üser@x.test', ['üser@x.test']],
  ['用户@例え.test', ['用户@xn--r8jz45g.test']],
  ['a@BÜCHER.Example', ['a@xn--bcher-kva.example']],
  ['a@localhost', ['a@localhost']],
  ['a@[127.0.0.1]', ['a@[127.0.0.1]']],
  ['a@[IPv6:::1]', ['a@[ipv6:::1]']],
  ['a @ x.test', ['a@x.test']],
  ['Team: c@x.test, d@x.test;', ['c@x.test', 'd@x.test']],
  ['a@x.test, "B, C" <b@x.test>, Team: c@x.test, d@x.test;', ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test']],
  ['Team:c@x.test;,Ada <a@x.test>', ['c@x.test', 'a@x.test']],
  ['"The: Team" (all) : Cy <c@x.test> ; (comment)', ['c@x.test']],
  ['undisclosed-recipients:;', []],
  ['Nobody: ; , a@x.test', ['a@x.test']],
  [`${'l'.repeat(64)}@x.test`, [`${'l'.repeat(64)}@x.test`]],
])('%j is a list of %j', (text, list) => {
  expect(addresses(text)).toEqual(list);
});

test('a local part has one spelling, whether it was quoted or not', () => {
  expect(addresses('"bob"@x.test, bob@x.test, "b\\ob"@x.test')).toEqual(['bob@x.test', 'bob@x.test', 'bob@x.test']);
});

test.each<[string, string | null]>([
  ['a@x.test', null],
  ['<a@x.test>', null],
  ['"B, C" <a@x.test>', 'B, C'],
  ['"say \\"hi\\"" <a@x.test>', 'say "hi"'],
  ['Ada  Lovelace <a@x.test>', 'Ada Lovelace'],
  ['Élodie Martin 👩‍💻 <a@x.test>', 'Élodie Martin 👩‍💻'],
])('the display name of %s is %j', (text, name) => {
  expect(parseAddressList(text)?.[0]?.name).toBe(name);
});

test.each([
  '',
  ' ',
  ',',
  'a',
  'a@',
  '@x.test',
  'a@@x.test',
  'a@b@x.test',
  'a b@x.test',
  'a@x test',
  'a@x.test,',
  ',a@x.test',
  'a@x.test,,b@x.test',
  'a@x.test b@x.test',
  'a@x.test; b@x.test',
  '<a@x.test',
  'a@x.test>',
  'Ada <a@x.test> Bob',
  'Ada <>',
  '<Ada <a@x.test>>',
  'Ada: a@x.test',
  ': a@x.test;',
  'Ada: a@x.test,;',
  'Ada: ,a@x.test;',
  'Ada: a@x.test;;',
  'Ada: a@x.test; b@x.test',
  'Ada: Bob: a@x.test;;',
  'Ada <a@x.test>: b@x.test;',
  '<@relay.test:a@x.test>',
  '.a@x.test',
  'a.@x.test',
  'a..b@x.test',
  'a@.x.test',
  'a@x.test.',
  'a@x..test',
  'a@-x.test',
  'a@x_y.test',
  'a@[x.test]',
  'a@[300.1.1.1]',
  'a@[127.0.0.1',
  '"a@x.test',
  '"a"b@x.test',
  'a(@x.test',
  'a)@x.test',
  'a@x.test (open',
  'a\r\n@x.test',
  'a@x.test\r\nBcc: b@x.test',
  'a@x.test\0',
  '"a\u0007"@x.test',
  'a\u200b@x.test',
  'a\u00a0@x.test',
  '\ud800@x.test',
  `${'l'.repeat(65)}@x.test`,
  `${'ü'.repeat(33)}@x.test`,
  `a@${'x'.repeat(64)}.test`,
  `a@${'x.'.repeat(130)}test`,
])('%j is malformed', (text) => {
  expect(parseAddressList(text)).toBeNull();
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...'a@.,<>()"\\ \t:;[]üx',
    'x.test',
    '"q"',
    '@x.test',
    '<a@x.test>',
    '\r\n',
    '\0',
    '👩‍💻',
  );
  const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

  test('is read without an error, and gives addresses that read as themselves', () => {
    fc.assert(
      fc.property(fc.oneof(texts, anyText()), (text) => {
        for (const { address, domain } of parseAddressList(text) ?? []) {
          expect(address.endsWith(`@${domain}`)).toBe(true);
          expect(address).not.toMatch(/[\r\n\0]/);
          expect(addresses(address)).toEqual([address]);
        }
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  test.each([
    ['(', ''],
    ['(', ')'],
    ['"', ''],
    ['\\', ''],
    ['a ', ''],
    ['a.', ''],
    ['a@x.test,', ''],
    ['@', ''],
    ['<', '>'],
  ])('thirty thousand of %j cost next to nothing', (open, close) => {
    const text = open.repeat(30_000) + close.repeat(30_000);
    const started = processorMs();
    parseAddressList(text);
    expect(processorMs() - started).toBeLessThan(1_500);
  });
});
