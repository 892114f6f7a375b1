import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAddresses, readAddressesAndGroups } from '../../src/text/addresses.ts';
import { anyText } from '../support/any-text.ts';
import { processorMs } from '../support/processor-time.ts';

test.each<[string, [name: string, address: string][]]>([
  ['', []],
  [' , ;', []],
  [
    'a@x.test, Ada <b@x.test>',
    [
      ['', 'a@x.test'],
      ['Ada', 'b@x.test'],
    ],
  ],
  ['"Shop, Inc." <c@x.test>', [['Shop, Inc.', 'c@x.test']]],
  ['"a\\"b" <a@x.test>', [['a"b', 'a@x.test']]],
  ['Pete(A chap) <pete(his account)@silly.test(his (own) host)>', [['Pete', 'pete@silly.test']]],
  ['Pete <pete(@silly.test>', [['Pete', 'pete(@silly.test']]],
  [
    'Team: a@x.test, "B, C" <b@x.test>; Empty:;, c@x.test',
    [
      ['', 'a@x.test'],
      ['B, C', 'b@x.test'],
      ['', 'c@x.test'],
    ],
  ],
  ['undisclosed-recipients:;', []],
  // The domain of RFC 2822 A.6.3, in the obsolete syntax of RFC 5322 4.4
  [
    'jdoe@test   . example, b@x .test . , c@x.test',
    [
      ['', 'jdoe@test.example'],
      ['', 'b@x.test.'],
      ['', 'c@x.test'],
    ],
  ],
  ['me@x.test . Ltd <a@x.test>', [['me@x.test . Ltd', 'a@x.test']]],
  ['a@x.test (Ada (L.) Lovelace)', [['Ada (L.) Lovelace', 'a@x.test']]],
  ['Ada <a@x.test> (work)', [['Ada', 'a@x.test']]],
  [
    '"quoted local"@x.test, <"a>b"@x.test>',
    [
      ['', '"quoted local"@x.test'],
      ['', '"a>b"@x.test'],
    ],
  ],
  [
    'u@[IPv6:::1], v@x.test',
    [
      ['', 'u@[IPv6:::1]'],
      ['', 'v@x.test'],
    ],
  ],
  ['<@relay.test,@other.test:c@x.test>', [['', 'c@x.test']]],
  ['"a@x.test" <b@y.test>', [['a@x.test', 'b@y.test']]],
  ['nobody', [['nobody', '']]],
  // Damaged lists. No name takes another with it.
  [
    '111(aaa）<bb@x.test>, carol@x.test',
    [
      ['111(aaa）', 'bb@x.test'],
      ['', 'carol@x.test'],
    ],
  ],
  [
    '(a <a@x.test>, b@x.test (work)',
    [
      ['(a', 'a@x.test'],
      ['work', 'b@x.test'],
    ],
  ],
  [
    '"Ada <a@x.test>, b@x.test',
    [
      ['Ada', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    '"Ada <a@x.test>, "Bob" <b@x.test>',
    [
      ['Ada', 'a@x.test'],
      ['Bob', 'b@x.test'],
    ],
  ],
  [
    'Ada <a@x.test, Bob <b@x.test>',
    [
      ['Ada', 'a@x.test'],
      ['Bob', 'b@x.test'],
    ],
  ],
  [
    'Ada a@x.test>, b@x.test',
    [
      ['Ada', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    'Ada) <a@x.test>, b@x.test',
    [
      ['Ada)', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    '<a@x.test><b@x.test>',
    [
      ['', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    'a@x.test b@x.test',
    [
      ['', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    'a@x.test; b@x.test',
    [
      ['', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  [
    'Team <t@x.test>: b@x.test',
    [
      ['Team', 't@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  ['Joe Foo, PhD <joe@x.test>', [['Joe Foo, PhD', 'joe@x.test']]],
  [
    'Bob, bob@x.test',
    [
      ['Bob', ''],
      ['', 'bob@x.test'],
    ],
  ],
  [
    'Ada <>, < b @ x.test >',
    [
      ['Ada', ''],
      ['', 'b@x.test'],
    ],
  ],
])('the names of %j', (list, names) => {
  expect(readAddresses(list).map(({ name, address }) => [name, address])).toEqual(names);
});

test('a damaged name before an address never removes the address', () => {
  const damaged = fc.array(fc.constantFrom('"', '(', ')', '<', '>', '[', '\\', 'a', ' ', '）'), { maxLength: 12 });
  fc.assert(
    fc.property(damaged, (pieces) => {
      const before = pieces.join('').replaceAll('\\', '');
      // A comment or quoted string that is closed later holds the address, as its sender wrote it.
      fc.pre(!/["(<]/.test(before) || !/[")>]/.test(before.slice(before.search(/["(<]/) + 1)));
      expect(readAddresses(`${before}, carol@x.test`).at(-1)?.address).toBe('carol@x.test');
    }),
  );
});

test('any text is read', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), (list) => {
      for (const { name, address } of readAddresses(list)) expect(name + address).not.toBe('');
    }),
  );
});

test.each(['"', '"\\"', '(', '()', '<', '<@a,', 'a[', ',', 'a:', '@ ', '"<a@b>,"', '\\', 'a '])(
  'a list of %j over and over costs no more than its length',
  (piece) => {
    const start = processorMs();
    readAddresses(piece.repeat(250_000 / piece.length));
    expect(processorMs() - start).toBeLessThan(2_000);
  },
);

test('groups begin with their name and end at a semicolon, the next group or the end', () => {
  const [start, end] = [(group: string) => ({ group }), { group: null }];
  const address = (text: string) => ({ name: '', address: text });
  const cases: readonly [string, object[]][] = [
    ['a@x.test', [address('a@x.test')]],
    [
      'crew: a@x.test, b@x.test;, c@x.test',
      [start('crew'), address('a@x.test'), address('b@x.test'), end, address('c@x.test')],
    ],
    ['crew: a@x.test; (the end of the group)', [start('crew'), address('a@x.test'), end]],
    [
      'crew: a@x.test; (Carol), c@x.test (Bo)',
      [start('crew'), address('a@x.test'), end, { name: 'Bo', address: 'c@x.test' }],
    ],
    ['crew:; (Carol) c@x.test', [start('crew'), end, { name: 'Carol', address: 'c@x.test' }]],
    ['undisclosed-recipients:;', [start('undisclosed-recipients'), end]],
    ['"A, B": a@x.test', [start('A, B'), address('a@x.test'), end]],
    ['one: a@x.test, two: b@x.test;', [start('one'), address('a@x.test'), end, start('two'), address('b@x.test'), end]],
    [': a@x.test;', [address('a@x.test')]],
  ];
  for (const [list, read] of cases) expect(readAddressesAndGroups(list), list).toEqual(read);
});

test('a single address is read as the same address is read behind another one', () => {
  const words = [
    'Ada',
    'a',
    'L.',
    "O'B",
    'x-y',
    '1',
    ' ',
    '  ',
    '.',
    '"',
    '<',
    '>',
    '@',
    'x.test',
    ',',
    '+',
    '_',
    '(',
    ':',
    ';',
  ];
  const part = fc.constantFrom(...words);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom('', 'a@x.test', '<a.b@x.test>'), (parts, end) => {
      const list = parts.join('') + end;
      // Lists with several addresses are read a character at a time.
      const [, ...behind] = readAddressesAndGroups(`<first@x.test>, ${list}`);
      expect(readAddressesAndGroups(list)).toEqual(behind);
    }),
    { numRuns: 2_000 },
  );
});
