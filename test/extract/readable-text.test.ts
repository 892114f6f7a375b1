import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableText } from '../../src/extract/readable-text.ts';

const read = (html: string, numbers: Record<string, number> = {}) =>
  readableText(html, (href) => numbers[href] ?? null);

test.each([
  ['a list', '<ul><li>one</li><li>two</li></ul>', '• one\n• two'],
  ['a list in a list', '<ul><li>one<ul><li>inside</li></ul></li><li>two</li></ul>', '• one\n  • inside\n• two'],
  ['a numbered list', '<ol><li>one</li><li>two</li></ol>', '1. one\n2. two'],
  ['items that are paragraphs', '<ul><li><p>one</p><li><p>two</p></ul>', '• one\n• two'],
  ['an item without a list', '<li>one', '• one'],
  ['paragraphs', '<p>one</p><p>two<br>three</p>', 'one\n\ntwo\nthree'],
  ['a quote', '<p>a</p><blockquote><p>one</p><p>two</p></blockquote>', 'a\n\n> one\n>\n> two'],
  [
    'a table of data',
    '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table>',
    'Item   Price\nTea   3',
  ],
  ['text that is laid out already', '<pre>a {\n  b\n}</pre>', 'a {\n  b\n}'],
  ['a picture', '<img src="x" alt="Acme  logo"> Hi', '[image: Acme logo] Hi'],
  ['pictures that say nothing', '<img src="x"><img alt="">Hi', 'Hi'],
  ['what is hidden', '<div style="display:none">no</div><p>yes</p><style>p{}</style>', 'yes'],
  ['a preview text filled up', '<p>Hi&zwnj;&nbsp;&zwnj;&nbsp;&shy;&#8203;</p>', 'Hi'],
  ['an address', '<a href="mailto:a@b.test">Write to us</a>', 'Write to us <mailto:a@b.test>'],
  ['an address that says itself', '<a href="mailto:a@b.test">a@b.test</a>', 'a@b.test'],
  ['a place in the mail', '<a href="#top">Up</a>', 'Up'],
])('%s is read as it is on paper', (_, html, text) => {
  expect(read(html).text).toBe(text);
});

test('a link has its number right behind it, unless its text is its target', () => {
  const numbers = { 'https://x.test/a': 1, 'https://x.test/b': 2, 'https://x.test/c': 3 };
  const html =
    'Go <a href="https://x.test/a">here</a>. <a href="https://x.test/b"><img alt="Buy"></a><a href="https://x.test/c">https://x.test/c</a>';
  const { text, links } = read(html, numbers);
  expect(text).toBe('Go here [1]. [image: Buy] [2] https://x.test/c');
  expect(links).toEqual([1, 2, 3]);
});

test('emphasized text keeps its style', () => {
  const { text, spans } = read(
    '<h1>News</h1><p>a <b>bold</b> and <em>italic</em> <a href="mailto:x@y.test">link</a></p>',
  );
  expect(spans.map(({ start, end, look }) => [look, text.slice(start, end)])).toEqual([
    ['bold', 'News'],
    ['bold', 'bold'],
    ['italic', 'italic'],
    ['link', 'link'],
    ['aside', '<mailto:x@y.test>'],
  ]);
});

test('the styles of any HTML lie within the text, in order', () => {
  const piece = fc.constantFrom(
    '<b>',
    '</b>',
    '<ul>',
    '<li>',
    '</ul>',
    '<a href="x">',
    '</a>',
    '<br>',
    '<pre>',
    ' a\n',
    '<td>',
    '<hr>',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
      const { text, spans } = read(pieces.join(''));
      let at = 0;
      for (const { start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(at);
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      // The space after the last word does not belong to the text.
      expect(at).toBeLessThanOrEqual(text.length + 1);
    }),
  );
});

test('a million elements are read in linear time', () => {
  for (const open of ['<li>', '<ul>', '<blockquote>', '<a href="x">', '<img alt="x">', '<b>']) {
    expect(read(open.repeat(100_000)).text.length).toBeLessThan(10_000_000);
  }
});
