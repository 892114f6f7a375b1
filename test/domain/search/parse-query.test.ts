import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/domain/errors.ts';
import {
  MOST_CHARACTERS,
  MOST_WORDS,
  parseQuery,
  type QueryReading,
  type SearchQuery,
  type Term,
  writeQuery,
} from '../../../src/domain/search/query.ts';
import { fold } from '../../../src/text/fold.ts';
import { HAVINGS, SEARCH_WORDS, TEXT_FIELDS } from '../../../src/text/search-words.ts';
import { anyText } from '../../support/any-text.ts';
import { propertyRuns } from '../../support/night.ts';

/** A Friday afternoon. */
const NOW = Date.UTC(2026, 10, 20, 15, 30);

const text = (value: string, field: (typeof TEXT_FIELDS)[number] | null = null, not = false): Term => ({
  kind: 'text',
  field,
  not,
  text: value,
});

test.each<[string, SearchQuery]>([
  ['', []],
  ['  \t ', []],
  ['welcome', [text('welcome')]],
  ['welcome back', [text('welcome'), text('back')]],
  ['"welcome back"', [text('welcome back')]],
  ['"welcome  \n back "', [text('welcome back')]],
  ['from:ada', [text('ada', 'from')]],
  ['FROM:Ada', [text('Ada', 'from')]],
  ['subject:"your code" to:bob', [text('your code', 'subject'), text('bob', 'to')]],
  ['!to:bob -cc:eve', [text('bob', 'to', true), text('eve', 'cc', true)]],
  ['-"not this"', [text('not this', null, true)]],
  ['message-id:<a@b>', [text('<a@b>', 'message-id')]],
  [
    'is:read -is:Unread is:starred is:tagged',
    [
      { kind: 'mark', what: 'read', not: false },
      { kind: 'mark', what: 'unread', not: true },
      { kind: 'mark', what: 'starred', not: false },
      { kind: 'mark', what: 'tagged', not: false },
    ],
  ],
  [
    'tag:News !tag:"two  words"',
    [
      { kind: 'tag', name: 'News', not: false },
      { kind: 'tag', name: 'two words', not: true },
    ],
  ],
  [
    'reply-to:a addressed:b bcc:c body:d',
    [text('a', 'reply-to'), text('b', 'addressed'), text('c', 'bcc'), text('d', 'body')],
  ],
  // A quote before the colon turns the term into plain text.
  ['"from:ada"', [text('from:ada')]],
  ['"-ada"', [text('-ada')]],
  ['pre"fix ed"post', [text('prefix edpost')]],
  ['"a \\"b\\" \\\\ \\n"', [text('a "b" \\ \\n')]],
  // No operator starts like this.
  ['https://x.test/verify?a=1', [text('https://x.test/verify?a=1')]],
  ['12:30', [text('12:30')]],
  ['2026-11-20T12:30', [text('2026-11-20T12:30')]],
  ['mailto:ada@x.test', [text('mailto:ada@x.test')]],
  ['localhost:8025', [text('localhost:8025')]],
  ['x.test:8025', [text('x.test:8025')]],
  ['Re: Hi', [text('Re:'), text('Hi')]],
  ['"foo:bar"', [text('foo:bar')]],
  [':', [text(':')]],
  ['\u200b a \u00ad', [text('a')]],
  ['pass\u00adword', [text('pass\u00adword')]],
  ['-', [text('-')]],
  ['a ! b', [text('a'), text('!'), text('b')]],
  ['--x', [text('-x', null, true)]],
  ['привет', [text('привет')]],
  [
    'has:attachment has:Attachments',
    [
      { kind: 'has', what: 'attachment', not: false },
      { kind: 'has', what: 'attachment', not: false },
    ],
  ],
  [
    '!has:code has:inline',
    [
      { kind: 'has', what: 'code', not: true },
      { kind: 'has', what: 'inline', not: false },
    ],
  ],
  ['header:X-Campaign', [{ kind: 'header', name: 'x-campaign', text: '', not: false }]],
  ['-header:"x-a= B  c=d"', [{ kind: 'header', name: 'x-a', text: 'B c=d', not: true }]],
  ['filename:"my file"', [text('my file', 'filename')]],
  ['is:HTML', [{ kind: 'html', not: false }]],
  ['after:2026-11-20', [{ kind: 'after', not: false, time: Date.UTC(2026, 10, 20) }]],
  ['before:2026-11-20T15:55+02:00', [{ kind: 'before', not: false, time: Date.UTC(2026, 10, 20, 13, 55) }]],
  ['before:"2026-11-20 15:55"', [{ kind: 'before', not: false, time: Date.UTC(2026, 10, 20, 15, 55) }]],
  [
    'larger:20k smaller:1.5MB',
    [
      { kind: 'larger', not: false, bytes: 20_480 },
      { kind: 'smaller', not: false, bytes: 1_572_864 },
    ],
  ],
  ['!larger:0', [{ kind: 'larger', not: true, bytes: 0 }]],
])('%j is read', (query, terms) => {
  expect(parseQuery(query)).toEqual(terms);
});

test.each<[string, number]>([
  ['after:1h', NOW - 3_600_000],
  ['before:90S', NOW - 90_000],
  ['after:15m', NOW - 900_000],
  ['after:2d', NOW - 2 * 86_400_000],
  ['after:1w', NOW - 7 * 86_400_000],
  ['after:999999w', 0],
  ['after:today', Date.UTC(2026, 10, 20)],
  ['before:Yesterday', Date.UTC(2026, 10, 19)],
  ['after:friday', Date.UTC(2026, 10, 20)],
  ['after:saturday', Date.UTC(2026, 10, 14)],
  ['after:monday', Date.UTC(2026, 10, 16)],
  ['after:2026-11-20', Date.UTC(2026, 10, 20)],
])('%s is a time of its own clock', (query, time) => {
  expect(parseQuery(query, { now: NOW })).toMatchObject([{ time }]);
});

test.each([
  'after:1y',
  'after:h',
  'after:-1h',
  'after:1.5h',
  'after:1234567h',
  'after:mon',
  'after:tomorrow',
  'after:1h ago',
])('%s is no time', (query) => {
  const { message } = refusal(query.replace(/:(.*)$/, ':"$1"'), { now: NOW }) ?? {};
  expect(message).toMatch(/names no day or time; after:2026-11-20, .*, after:yesterday and after:1h do\.$/);
});

// A query that grows letter by letter is never wrong on its way.
test.each<[string, string]>([
  ['from:', ''],
  ['welcome from:', 'welcome'],
  ['from: welcome', 'welcome'],
  ['subject:"your co', 'subject:"your co"'],
  ['"two wo', '"two wo"'],
  ['a "', 'a'],
  ['a ""', 'a'],
  ['!', ''],
  ['a -', 'a'],
  ['!from:', ''],
  ['has:', ''],
  ['has:att', ''],
  ['has:attachment', 'has:attachment'],
  ['is:h', ''],
  ['after:', ''],
  ['after:2', ''],
  ['after:2026-11-2', ''],
  ['after:2026-11-20T15:', ''],
  ['after:2026-11-20T15:55+0', ''],
  ['before:yester', ''],
  ['larger:1.', ''],
  ['larger:1', 'larger:1'],
  ['header:', ''],
  ['header:x-campaign=', 'header:x-campaign'],
  ['https:/', ''],
  ['Re:', 'Re:'],
  ['a \u00ad', 'a'],
  ['after:2026-11-3', ''],
  ['after:2026-11-20T2', ''],
  ['after:2026-11-20T15:55:30.5+', ''],
])('%j may still be typed, and means %j', (query, meant) => {
  expect(parseQuery(query, { now: NOW, isPartial: true })).toEqual(parseQuery(meant, { now: NOW }));
});

test('no finished query is wrong while it is typed, and finished it means the same', () => {
  const whole = [
    'from:ada -subject:"your \\"code\\"" has:attachment is:html',
    'after:2026-11-20T15:55:30.123+02:00 before:yesterday after:1h larger:1.5m',
    'header:x-campaign=spring filename:a.pdf https://x.test/a?b=c Re: ! message-id:<a@b>',
    'is:unread -is:tagged is:starred tag:"two words" thread:9f86d081884c7d65',
    'mailto:ada@x.test 10:30 localhost:8025 "open: close" 验证码 ｗｉｄｅ',
  ];
  for (const query of whole) {
    for (let end = 0; end <= query.length; end++)
      expect(() => parseQuery(query.slice(0, end), { now: NOW, isPartial: true }), query.slice(0, end)).not.toThrow();
    expect(parseQuery(query.replace(' !', ''), { now: NOW, isPartial: true })).toEqual(
      parseQuery(query.replace(' !', ''), { now: NOW }),
    );
  }
});

test.each([
  'form:ada',
  'larger:big',
  'after:2026-02-30',
  'after:2026-02-3',
  'after:2026-4',
  'after:2026x',
  'has:virus',
  'is:nothing',
  'a foo:bar',
])('%s is wrong also while it is typed, because no end makes it right', (query) => {
  expect(refusal(query, { now: NOW, isPartial: true })).toEqual(refusal(query, { now: NOW }));
  expect(refusal(query, { now: NOW })).not.toBeNull();
});

test.each<[string, number, RegExp]>([
  ['a "b', 2, /quote is not closed/],
  ['a from:', 2, /^from: needs a text/],
  ['a from:"  "', 2, /^from: needs a text/],
  ['x ""', 2, /Nothing stands between these quotes/],
  ['a tag:', 2, /^tag: needs a text/],
  ['tag:a,b', 0, /^tag:a,b names no tag; tags have letters/],
  ['is:__proto__', 0, /^is:__proto__ is not known; is:html, is:read, is:unread, is:starred, is:tagged, is:sms are\.$/],
  ['has:virus', 0, /has:virus is not known; has:attachment/],
  ['from:"\u200b"', 0, /^from: needs a text/],
  ['"\u00ad"', 0, /Nothing stands between/],
  ['a header:', 2, /^header: names no header field; header:x-campaign and/],
  ['header:=b', 0, /names no header field/],
  ['header:"a b"', 0, /names no header field/],
  ['after:yesterday', 0, /after:yesterday names no day or time/],
  ['before:2026-02-30', 0, /names no day or time/],
  ['larger:big', 0, /larger:big names no size/],
  ['smaller:-1', 0, /names no size/],
  ['ok !form:ada', 3, /did you mean from:/],
  ['a foo:bar', 2, /^foo: is no search word\. Quotes around it make it a text\.$/],
  ['-x:"y z"', 0, /^x: is no search word/],
  ['attachment:pdf', 0, /^attachment: is no search word\. Quotes/],
  ['bc:ada', 0, /^bc: is no search word; did you mean (b?cc):\? Quotes around it/],
  ['subjcet:x', 0, /did you mean subject:/],
  [`before:${'9'.repeat(100)}`, 0, /^before:9{33}… names/],
])('%j is refused at character %i with a sentence', (query, position, message) => {
  expect(refusal(query)).toEqual({ position, message: expect.stringMatching(message) });
});

test('a query is bounded in characters and in words', () => {
  expect(parseQuery('x '.repeat(MOST_WORDS))).toHaveLength(MOST_WORDS);
  expect(refusal('x '.repeat(MOST_WORDS + 1))).toMatchObject({ position: 2 * MOST_WORDS });
  expect(parseQuery('x'.repeat(MOST_CHARACTERS))).toHaveLength(1);
  expect(refusal('"'.repeat(10_000))).toMatchObject({ position: MOST_CHARACTERS });
});

test('every search word that the help names exists', () => {
  for (const { word, values, example } of SEARCH_WORDS)
    for (const value of values ?? [example])
      expect(parseQuery(`${word}${value}`, { now: NOW })).not.toMatchObject([{ field: null }]);
});

describe('any query', () => {
  const anything = fc.oneof(
    anyText({ maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          '\\',
          ' ',
          ':',
          '!',
          '-',
          'from',
          'has:',
          'is:html',
          'after:',
          '2026-11-20',
          'x',
          '\u202e',
          '\u0000',
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join('')),
  );

  test('is read, or refused with a sentence and a position', () => {
    fc.assert(
      fc.property(anything, (query) => {
        const { position, message } = refusal(query) ?? { position: 0, message: 'A sentence.' };
        expect(position >= 0 && position <= query.length && /\S{2,}/.test(message)).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('that is typed is read, or refused with a sentence and a position, and is right if the whole one is', () => {
    fc.assert(
      fc.property(anything, (query) => {
        const strict = refusal(query, { now: NOW });
        const partial = refusal(query, { now: NOW, isPartial: true });
        expect(strict !== null || partial === null).toBe(true);
        const { position, message } = partial ?? { position: 0, message: 'A sentence.' };
        expect(position >= 0 && position <= query.length && /\S{2,}/.test(message)).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('means the same after it is written and read again', () => {
    fc.assert(
      fc.property(anything, (query) => {
        if (refusal(query) !== null) return;
        const terms = parseQuery(query);
        expect(parseQuery(writeQuery(terms))).toEqual(terms);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });
});

test('every query can be written, and reads as itself', () => {
  const not = fc.boolean();
  const value = anyText({ minLength: 1, maxLength: 20 })
    .map((one) => one.replace(/\s+/g, ' ').trim())
    .filter((one) => fold(one).trim() !== '');
  const term: fc.Arbitrary<Term> = fc.oneof(
    fc.record({ kind: fc.constant('text'), not, field: fc.constantFrom(null, ...TEXT_FIELDS), text: value }),
    fc.record({ kind: fc.constant('has'), not, what: fc.constantFrom(...HAVINGS) }),
    fc.record({ kind: fc.constant('html'), not }),
    fc.record({
      kind: fc.constant('header'),
      not,
      name: fc.constantFrom('x-a', 'x"y\\', '#'),
      text: fc.oneof(fc.constant(''), value),
    }),
    fc.record({ kind: fc.constantFrom('after', 'before'), not, time: fc.integer({ min: 0, max: 4e12 }) }),
    fc.record({ kind: fc.constantFrom('larger', 'smaller'), not, bytes: fc.integer({ min: 0, max: 1e11 }) }),
  );
  fc.assert(
    fc.property(fc.array(term, { maxLength: 10 }), (terms) => {
      expect(parseQuery(writeQuery(terms))).toEqual(terms);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

function refusal(query: string, reading: QueryReading = {}): { position: number; message: string } | null {
  try {
    parseQuery(query, reading);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_query') throw error;
    const { position, message } = error.extra;
    return { position: Number(position), message: String(message) };
  }
}
