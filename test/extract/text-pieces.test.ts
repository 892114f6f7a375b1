import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textPieces } from '../../src/extract/text-pieces.ts';
import { anyText } from '../support/any-text.ts';
import { processorMs } from '../support/processor-time.ts';

const textOf = (html: string) => [...textPieces(html)].join('').replace(/\s+/g, ' ').trim();

test.each([
  ['<p>Hello</p><p>Ada</p>', 'Hello Ada'],
  ['nee<b>dle</b>, <span class="x">one</span>', 'needle, one'],
  ['a<br>b<img alt="c">d', 'a b d'],
  ['<td>1</td><td>2</td>', '1 2'],
  ['Ben &amp; J&eacute;r&#244;me &lt;x&gt;&nbsp;!', 'Ben & Jérôme <x> !'],
  ['<style>p { color: red }</style><script>if (a < b) x()</script>text', 'text'],
  ['<head><title>T</title></head><body>B</body>', 'B'],
  ['<!-- hidden --><p hidden>shown here</p>', 'shown here'],
  ['a < b and <', 'a < b and <'],
  ['<div', ''],
  ['', ''],
])('%j is read as %j', (html, text) => {
  expect(textOf(html)).toBe(text);
});

test('text that is read in pieces is the same as the whole', () => {
  const html = '<p>w&ouml;rd</p>'.repeat(10_000);
  const pieces = [...textPieces(html)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(textOf(html)).toBe('wörd '.repeat(10_000).trim());
});

test('reading takes linear time and never fails, whatever the HTML', () => {
  for (const part of ['<', '<p>', '</p>', '&', '<a b="', '<!--', '<script>', '&#x', '<style', '<p a=b ']) {
    const html = part.repeat(300_000);
    const startedAt = processorMs();
    let characters = 0;
    for (const piece of textPieces(html)) characters += piece.length;
    expect(characters, part).toBeLessThanOrEqual(html.length * 2);
    expect(processorMs() - startedAt, part).toBeLessThan(5_000);
  }
  fc.assert(fc.property(anyText(), (html) => void textOf(`<p>${html}`)));
});
