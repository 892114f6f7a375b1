import { expect, test } from 'vitest';
import { walkHtml } from '../../src/extract/html-walk.ts';

/** Returns the texts of HTML with their positions. */
function textsOf(html: string): [text: string, start: number][] {
  const texts: [string, number][] = [];
  walkHtml(html, { open: () => {}, close: () => {}, text: (data, start) => texts.push([data, start]) });
  return texts;
}

test.each([
  ['a < b', [['a < b', 0]]],
  ['<<<<', [['<<<<', 0]]],
  [
    'a<!-- x -->b',
    [
      ['a', 0],
      ['b', 11],
    ],
  ],
  [
    'a&lt;b',
    [
      ['a', 0],
      ['<', 5],
      ['b', 5],
    ],
  ],
  [
    '<p>a</p>b',
    [
      ['a', 3],
      ['b', 8],
    ],
  ],
  ['a<', [['a<', 0]]],
] as [string, [string, number][]][])(
  'a text is reported as one, however many parts the tokenizer makes of it: %s',
  (html, texts) => {
    expect(textsOf(html)).toEqual(texts);
  },
);
