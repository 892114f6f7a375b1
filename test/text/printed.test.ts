import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printed, printedJson, printedWithStyles } from '../../src/text/harmless.ts';
import { anyText } from '../support/any-text.ts';
import { obeyedIn } from '../support/obeyed.ts';

/** Texts of which each holds what a runner, a terminal or a reader would obey. */
const PIECES = ['::', ':', '#', '##[', '##vso[', '##TeamCity[', '[', 'vso', ' ', '\t', '\r', '\n', '\r\n', '\u2028'];
const HIDDEN = ['\u200b', '\u200d', '\ufe0f', '\u00ad', '\u034f', '\u202e', '\u2066', '\u001b[2J', '\u009b', '\ud800'];

const anyCommand = fc
  .array(fc.oneof(fc.constantFrom(...PIECES, ...HIDDEN), anyText({ maxLength: 5 })), { maxLength: 12 })
  .map((pieces) => pieces.join(''));

describe('what is printed', () => {
  test.each([
    ['a command of GitHub Actions', '::error::x', '\\::error::x'],
    ['one after blanks', ' \t::error::x', ' \t\\::error::x'],
    ['one on any line', 'a\r\n::set-env x\r::b', 'a\n\\::set-env x\n\\::b'],
    ['one after a line separator', 'a\u2028::b', 'a\n\\::b'],
    ['one behind a joiner, which a comparison by culture ignores', '\u200d::b', '\u200d\\::b'],
    ['one in two halves', ':\u200d:b', '\\:\u200d:b'],
    ['a section of Azure Pipelines', 'a ##[group]b', 'a #\\#[group]b'],
    ['a command of Azure Pipelines', 'a ##VSO[task.x]b', 'a #\\#VSO[task.x]b'],
    ['a command of TeamCity', "##teamcity[buildStop comment='x']", "#\\#teamcity[buildStop comment='x']"],
    ['one that appears where a character is removed', '#\u200b#[group]', '#\\#[group]'],
    ['one behind more number signs', '####[x', '###\\#[x'],
    ['two in a line', '##[a]##[b]', '#\\#[a]#\\#[b]'],
    ['a path in C++, as it is', 'use std::vector', 'use std::vector'],
    ['a heading, as it is', '## [Title]\n## a[1]', '## [Title]\n## a[1]'],
    ['an address, as it is', 'http://[::1]:25', 'http://[::1]:25'],
  ])('has %s defused', (_, text, shown) => {
    expect(printed(text)).toBe(shown);
    expect(printedWithStyles(text)).toBe(shown);
  });

  test('is the same if it is printed again', () => {
    fc.assert(
      fc.property(anyCommand, (text) => {
        expect(printed(printed(text))).toBe(printed(text));
      }),
    );
  });

  test('holds nothing that a runner, a terminal or a reader obeys, whatever a stranger writes', () => {
    fc.assert(
      fc.property(anyCommand, (text) => {
        expect(obeyedIn(printed(text))).toEqual([]);
      }),
    );
  });

  test("keeps mailcap's own styles if told to, and no other escape", () => {
    const text = '\u001b[1mbold\u001b[22m\u001b[12G \u001b[31;2m::x\u001b[2J\u001b]0;title\u0007';
    expect(printedWithStyles(text)).toBe('\u001b[1mbold\u001b[22m\u001b[12G \u001b[31;2m::x␛[2J␛]0;title␇');
    expect(printedWithStyles('\u001b[2m ::x\n\u001b[2m##[x')).toBe('\u001b[2m \\::x\n\u001b[2m#\\#[x');
  });

  test('takes time in proportion to its length', () => {
    // A text of this length would take the whole timeout if the time grew with its square.
    for (const piece of [...PIECES, ...HIDDEN, '#\u200d', '##a', ':\u200d', '\u001b[1m', '##\u200d', '\u{e01f0}'])
      for (const print of [printed, printedWithStyles, printedJson])
        expect(print(piece.repeat(20_000))).toBeTypeOf('string');
  });
});

describe('JSON that is printed', () => {
  test('has the same values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyCommand, (value, text) => {
        const json = { value, text, [text]: text };
        for (const indent of [0, 2])
          expect(JSON.parse(printedJson(JSON.stringify(json, null, indent)))).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  test('holds nothing that a runner, a terminal or a reader obeys', () => {
    fc.assert(
      fc.property(anyCommand, (text) => {
        for (const indent of [0, 2])
          expect(obeyedIn(printedJson(JSON.stringify([text, { [text]: 1 }], null, indent)))).toEqual([]);
      }),
    );
    expect(printedJson('"##[x] \u202e \u{e0041}"')).toBe('"\\u0023#[x] \\u202e \\udb40\\udc41"');
  });
});
