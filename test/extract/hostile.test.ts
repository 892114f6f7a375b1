import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CHARACTERS } from '../../src/extract/bounds.ts';
import { findCodes } from '../../src/extract/codes.ts';
import { findLinks } from '../../src/extract/links.ts';
import { visibleText } from '../../src/extract/visible-text.ts';
import { anyText } from '../support/any-text.ts';
import { byDay, propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

const FIVE_MB = 5_000_000;
const fill = (piece: string) => piece.repeat(Math.ceil(FIVE_MB / piece.length));

const HOSTILE = [
  ['opened elements', '<a>'],
  ['opened elements of many names', '<a><b><i><u><s>'],
  ['ends without a start', '<b></x>'],
  ['deep blocks', '<div>'],
  ['hidden blocks', '<div style="display:none">'],
  ['foreign elements', '<svg><title>'],
  ['cells', '<td>4'],
  ['links', '<a href="https://x.test/?a=1&amp;b=2">x</a>'],
  ['attributes', '<a b=1 c d="&amp;" e'],
  ['comments', '<!-- --'],
  ['entities', '&amp;&#x41;&notanentity'],
  ['less-than signs', '<'],
  ['ampersands', '&'],
  ['codes', 'code 481516 '],
  ['lines of codes', 'code\n481516\n'],
  ['words without numbers', 'verification code order '],
  ['single digits', '4 '],
  ['digits', '4'],
  ['groups', '481-'],
  ['letters', 'A4-'],
  ['addresses', 'https://x.test/'],
  ['schemes', 'http://'],
  ['opened brackets', '<http://x '],
  ['brackets', 'http://x.test/((('],
  ['closed brackets', ')http://x)))'],
  ['punctuation', '.,:'],
  ['dots after an address', 'http://x..........'],
  ['white space', ' \n\t'],
  ['zero-width characters', '\u200b\u00ad'],
  ['Chinese', '验证码4815'],
  ['labels without a number', 'code: A '],
  ['labels of letters', 'code: ABCD\n'],
  ['asides', 'code (4815 '],
  ['refused numbers', 'your code is 20261121\n'],
  ['style declarations', '<p style="a:b;;;;c:d">'],
  ['halves of characters', '\ud83d'],
  ['addresses in brackets', '(http://x.test)'],
  ['facts', 'A: 4815\n'],
] as const;

// By day every fourth, so that each kind of reader has some.
test.each(byDay(HOSTILE, (_row, at) => at % 4 === 0))(
  'five megabytes of %s take under four seconds of processor time',
  (_what, piece) => {
    const mail = fill(piece);
    const attribute = `<a href="${mail}" style="${mail}">`;
    for (const html of [mail, attribute]) {
      const start = processorMs();
      const codes = findCodes({ subject: mail.slice(0, 10_000), text: mail, html });
      const links = findLinks({ subject: mail.slice(0, 10_000), text: mail, html });
      expect(processorMs() - start).toBeLessThan(4_000);
      expect(codes.length).toBeLessThanOrEqual(20);
      expect(links.length).toBeLessThanOrEqual(500);
    }
  },
);

test('words for codes that follow each other without an end take under four seconds', () => {
  const text = `Authorization ${fill('code 153')}`.slice(0, MAX_CHARACTERS);
  const start = processorMs();
  findCodes({ subject: null, text, html: null });
  expect(processorMs() - start).toBeLessThan(4_000);
});

const PIECES = [
  ...HOSTILE.map(([, piece]) => piece),
  ...['</a>', '</p>', '<p hidden>', '<br/>', '<base href="', '"', "'", '>', '=', '<![CDATA[', ']]>', '<?x', '<pre>'],
  ...[
    '<style>',
    '</style>',
    '<table><tr>',
    '</td>',
    '<img alt="code 4815">',
    'İ',
    'https://例え.test/',
    '\u0000',
    'is your code',
  ],
];
const markup = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, anyText({ maxLength: 8 })), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

test('any mail is read without an error, gives well-formed codes and links, and the same ones twice', () => {
  fc.assert(
    fc.property(markup, markup, markup, (subject, text, html) => {
      const codes = findCodes({ subject, text, html });
      const links = findLinks({ subject, text, html });
      for (const { code, rank, reason } of codes) {
        expect(code).toMatch(/^[A-Za-z0-9-]{4,19}$/);
        expect(code).toMatch(/^[0-9]{4,10}$|[A-Za-z]/);
        expect([rank >= 1, reason !== '']).toEqual([true, true]);
      }
      expect(codes.filter(({ rank }) => rank === 1).length).toBe(
        Math.min(codes.length, Math.max(1, codes.filter(({ ambiguous }) => ambiguous).length)),
      );
      for (const { url } of links) expect(new URL(url).protocol).toMatch(/^https?:$/);
      expect(new Set(links.map(({ url }) => url)).size).toBe(links.length);
      expect({ codes, links }).toEqual({
        codes: findCodes({ subject, text, html }),
        links: findLinks({ subject, text, html }),
      });
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('positions in any HTML lie within the text, in order', () => {
  fc.assert(
    fc.property(markup, (html) => {
      const { text, emphasis, anchors } = visibleText(html);
      let at = 0;
      for (const { start, end } of emphasis) {
        expect(start).toBeGreaterThanOrEqual(at);
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      expect(at).toBeLessThanOrEqual(text.length);
      for (const { start, end } of anchors) expect([start <= end, end <= text.length]).toEqual([true, true]);
    }),
    { numRuns: propertyRuns(500) },
  );
});

const LOG_LINE = (at: number) =>
  `10:15:07 worker[${1000 + at}] job ${at * 31} took ${at} ms, id=a${at}f user ${at % 77}\n`;
const LOG = Array.from({ length: 1_500 }, (_, at) => LOG_LINE(at)).join('');

test.each([
  ['named in a sentence', 'Your verification code is 481516.\n', '481516'],
  ['alone below its label', 'Your verification code:\n\n481516\n', '481516'],
  ['in groups', 'Your verification code: 481 516\n', '481516'],
])('a code %s is found among thousands of numbers, and they cost little', (_what, told, code) => {
  const text = LOG + told + LOG;
  const best = () => {
    const start = processorMs();
    expect(findCodes({ subject: 'Log of the night', text, html: null }).map((found) => found.code)).toEqual([code]);
    return processorMs() - start;
  };
  // Without the bound, half a second: each of ten thousand numbers would be weighed.
  expect(Math.min(...Array.from({ length: 5 }, best))).toBeLessThan(250);
});
