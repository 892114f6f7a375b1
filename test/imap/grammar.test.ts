import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotInGrammar, parseAppendStart, parseCommand, tagOf } from '../../src/imap/grammar.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

describe('a command', () => {
  const cases: readonly [text: string, is: object][] = [
    ['a noop', { name: 'NOOP' }],
    ['a1 LOGIN "us\\"er" {2}\r\np"', { name: 'LOGIN', user: 'us"er', password: 'p"' }],
    ['a LOGIN \xc3\xa9', {}],
    ['a LIST "" "%"', { name: 'LIST', reference: '', pattern: '%' }],
    ['a lsub x* y', {}],
    ['a STATUS inbox (messages UIDNEXT)', { items: ['MESSAGES', 'UIDNEXT'] }],
    [
      'a FETCH 1,2:*,*:3 FAST',
      {
        set: [
          [1, 1],
          [2, Infinity],
          [3, Infinity],
        ],
      },
    ],
    [
      'a FETCH 1 BODY.PEEK[1.2.HEADER.FIELDS (a "b c")]<0.9>',
      {
        items: [
          {
            kind: 'SECTION',
            name: 'BODY[1.2.HEADER.FIELDS (a "b c")]<0>',
            section: { part: [1, 2], text: 'HEADER.FIELDS', fields: ['a', 'b c'] },
            partial: { from: 0, length: 9 },
            isPeek: true,
          },
        ],
      },
    ],
    ['a UID STORE 1 -FLAGS.SILENT \\Seen x', { isUid: true, how: 'remove', isSilent: true, flags: ['\\Seen', 'x'] }],
    [
      'a SEARCH CHARSET utf-8 OR SEEN NOT (TEXT x)',
      {
        charset: 'utf-8',
        key: {
          kind: 'and',
          keys: [
            {
              kind: 'or',
              one: { kind: 'flag', flag: '\\Seen' },
              other: { kind: 'not', key: { kind: 'and', keys: [{ kind: 'text', text: 'x' }] } },
            },
          ],
        },
      },
    ],
    ['a SEARCH SENTON 1-feb-1970', { key: { kind: 'and', keys: [{ kind: 'days', from: 31, to: 32, isSent: true }] } }],
    ['a COPY 1 {5+}\r\nin\r\nb', { mailbox: 'in\r\nb' }],
    ['a UID EXPUNGE 1:2', { name: 'EXPUNGE', uids: [[1, 2]] }],
    ['a AUTHENTICATE plain =', { mechanism: 'PLAIN', initial: '=' }],
    ['a ID ("a" NIL)', { name: 'ID' }],
  ];
  const refused = new Set(['a LOGIN \xc3\xa9', 'a lsub x* y']);
  test.for(cases)('%j is read', ([text, is]) => {
    if (refused.has(text)) expect(() => parseCommand(text)).toThrow(NotInGrammar);
    else expect(parseCommand(text)).toMatchObject(is);
  });

  test.for([
    ...['', 'a', 'a ', ' a NOOP', '+ NOOP', 'a NOOP x', 'a FETCH 1', 'a FETCH 1 ()x', 'a FETCH 1 BODY[0.X]'],
    ...[
      'a FETCH 1 BODY[MIME]',
      'a FETCH 1 BODY[]<1>',
      'a FETCH 4294967296 UID',
      'a FETCH 1:: UID',
      'a LOGIN {3}\r\nab',
    ],
    ...[
      'a LOGIN "a\rb" c',
      'a STATUS INBOX MESSAGES',
      'a SEARCH',
      'a SEARCH SINCE 1-Foo-2020',
      'a SEARCH SINCE 32-Jan-2020',
      'a SEARCH ON 29-Feb-2023',
      'a SEARCH ON 0-Feb-2024',
      'a SEARCH ON "1-Feb-2024',
      'a FETCH 1 BODY[0]',
      'a FETCH 1 BODY[1.0]',
      'a FETCH 1 BODY[]<0.0>',
      'a UID NOOP',
      'a APPEND x',
    ],
    ...['a FETCH 1 ()', 'a STATUS INBOX ()', 'a SEARCH ()', 'a FETCH 1 BODY[HEADER.FIELDS ()]'],
    ...['a LOGIN "unended x', 'a SEARCH (ALL', 'a STORE 1 FLAG x', 'a LIST "" (', 'a ID x'],
  ])('%j is refused', (text) => {
    expect(() => parseCommand(text)).toThrow(NotInGrammar);
  });

  test('that begins APPEND is read up to its literal', () => {
    expect(parseAppendStart('a APPEND INBOX (\\Seen x) "17-Jul-1996 02:44:25 -0700" ')).toEqual({
      tag: 'a',
      mailbox: 'INBOX',
      flags: ['\\Seen', 'x'],
    });
    expect(parseAppendStart('a NOOP')).toBe(null);
    expect(() => parseAppendStart('a APPEND ')).toThrow(NotInGrammar);
    expect(tagOf('a FOO')).toBe('a');
    expect(tagOf('(')).toBe(null);
  });
});

const WORDS = [
  ...[
    'a',
    ' ',
    '  ',
    '(',
    ')',
    '"',
    '\\',
    '{3}\r\n',
    '{9+}\r\n',
    '*',
    ':',
    ',',
    '1',
    '0',
    '4294967295',
    '%',
    '[',
    ']',
    '<',
  ],
  ...[
    'FETCH',
    'UID',
    'SEARCH',
    'STORE',
    'BODY',
    'BODY.PEEK[',
    'HEADER.FIELDS',
    'NOT',
    'OR',
    'FLAGS',
    '+FLAGS',
    'LOGIN',
  ],
  ...[
    '"x"',
    'NIL',
    '1-Feb-2024',
    '\\Seen',
    'CHARSET',
    'APPEND',
    'INBOX',
    '\r',
    '\n',
    '\0',
    '\xff',
    '.',
    'STATUS',
    'ID',
  ],
];

/** Reads a text, and fails if an error other than a refusal comes out. */
function tried(text: string): void {
  for (const read of [parseCommand, parseAppendStart]) {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof NotInGrammar)) throw error;
    }
  }
}

test('whatever is sent is read or refused, and soon', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 5 })), { maxLength: 60 });
  fc.assert(
    fc.property(text, (words) => {
      for (const given of [
        words.join(''),
        `a ${words.join(' ')}`,
        `a SEARCH ${words.join(' ')}`,
        `a FETCH 1 ${words.join('')}`,
      ])
        tried(given);
    }),
    { numRuns: propertyRuns(20_000, 1_000) },
  );
  const started = processorMs();
  for (const long of ['(', '1,', 'NOT ', '"', '\\"', ' ', 'x', '{1}\r\n', 'OR ALL ', '1:*,'])
    for (const begin of ['a SEARCH ', 'a FETCH ', 'a LOGIN ', 'a STORE 1 FLAGS '])
      tried(begin + long.repeat(64_000 / long.length));
  expect(processorMs() - started).toBeLessThan(4_000);
});
