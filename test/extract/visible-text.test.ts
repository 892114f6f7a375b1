import { expect, test } from 'vitest';
import { visibleText } from '../../src/extract/visible-text.ts';

test.each([
  ['what blocks hold stands on lines of its own', '<p>a</p><div>b<br>c</div><ul><li>d<li>e</ul>', 'a\nb\nc\nd\ne'],
  ['white space is one space', 'a \n\t b&nbsp; <b> c</b>', 'a b c'],
  ['inline elements do not part a word', 'a<b>b</b><span>c</span>', 'abc'],
  ['cells are apart', '<table><tr><td>a<td>b</td></tr><tr><td><p>c</p></td></tr></table>', 'a\tb\nc'],
  ['entities are decoded', '&lt;a&gt; &amp; &#x41;&eacute;&unknown;', '<a> & Aé&unknown;'],
  ['lines of pre stay', '<pre>a\nb</pre>', 'a\nb'],
  [
    'style, script, template, title and comments are not seen',
    '<title>a</title><style>b</style><script>c</script><template>d</template><!-- e -->f',
    'f',
  ],
  ['a script that is never closed swallows the rest', 'a<script>b<p>c', 'a'],
  ['a head that is never closed ends with what stands in no head', '<head><meta><title>a</title><p>b', 'b'],
  ['hidden', '<p hidden>a</p><p>b</p>', 'b'],
  ['display none, also written loudly', '<p style="color:red; DISPLAY : None !important">a</p>b', 'b'],
  ['visibility, which a child can undo', '<p style="visibility:hidden">a<b style="visibility:visible">b</b></p>', 'b'],
  ['opacity, which no child can undo', '<p style="opacity:0.0">a<b style="opacity:1">b</b></p>c', 'c'],
  [
    'a size of nothing, which a child can undo',
    '<td style="font-size:0px">a<span style="font-size:16px">b</span></td>',
    'b',
  ],
  ['a box without height', '<div style="max-height:0;overflow:hidden">a</div>b', 'b'],
  ['a hidden paragraph ends where the next begins', '<p style="display:none">a<p>b', 'b'],
  ['a hidden element ends with the one around it', '<div><span hidden>a</div>b', 'b'],
  ['an end without a start ends nothing', '<p>a</div>b</span></p>', 'ab'],
  ['characters without a place on paper', 'a&shy;b&zwnj;c\u200f&#8288;d', 'abcd'],
])('%s', (_claim, html, text) => {
  expect(visibleText(html).text).toBe(text);
});

test('the texts for pictures are separate from the visible text', () => {
  const { text, alts } = visibleText('a<img alt="b  c">d<img alt=""><p hidden><img alt="e"></p>');
  expect({ text, alts }).toEqual({ text: 'ad', alts: ['b c'] });
});

test.each([
  ['<h1>a</h1>', 'large'],
  ['<b>a</b>', 'bold'],
  ['<p style="font-size:28px">a</p>', 'large'],
  ['<p style="font-size:18pt">a</p>', 'large'],
  ['<p style="letter-spacing:4px">a</p>', 'large'],
  ['<p style="font-weight:700">a</p>', 'bold'],
  ['<font size="6">a</font>', 'large'],
])('%s stands out', (html, look) => {
  expect(visibleText(html).emphasis).toEqual([{ start: 0, end: 1, look }]);
});

test.each(['<p>a</p>', '<h1 style="font-size:12px;font-weight:400">a</h1>', '<p style="font-size:14px">a</p>'])(
  '%s does not stand out',
  (html) => {
    expect(visibleText(html).emphasis).toEqual([]);
  },
);
