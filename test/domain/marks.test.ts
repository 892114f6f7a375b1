import { expect, test } from 'vitest';
import {
  changeMarks,
  cleanTag,
  type MarkChange,
  parseTag,
  sortedTags,
  tagsByRule,
  UNMARKED,
} from '../../src/domain/marks.ts';
import { processorMs } from '../support/processor-time.ts';

test.each([
  ['News', 'News'],
  ['  two   words ', 'two words'],
  ['größe 東京', 'größe 東京'],
  ['gro\u0308ße', 'größe'],
  ['a-b_c.d@x', 'a-b_c.d@x'],
  ['x'.repeat(100), 'x'.repeat(100)],
  ['x'.repeat(101), null],
  ['', null],
  ['   ', null],
  ['a,b', null],
  ['a\nb', null],
  ['a\u0000', null],
  ['\u001b[31m', null],
  ['\u202eevil', null],
  ['\ud800', null],
  ['<script>', null],
  ['x'.repeat(1_000_000), null],
])('the name %j of a tag is read as %j', (text, tag) => {
  expect(parseTag(text)).toBe(tag);
});

test.each([
  [' a,b<c> ', 'a b c'],
  ['\u001b[31mred', '31mred'],
  ['!!!', null],
  ['', null],
  [`${'x'.repeat(99)} ${'y'.repeat(99)}`, 'x'.repeat(99)],
  ['x'.repeat(1_000_000), 'x'.repeat(100)],
])('the text %j of a rule becomes the tag %j', (text, tag) => {
  expect(cleanTag(text)).toBe(tag);
});

test('tags are in the order of their names, each once, whatever their case', () => {
  expect(sortedTags(['b', 'A', 'a', 'B', 'Ä', 'ä'])).toEqual(['A', 'b', 'Ä']);
});

const MARKS = { isRead: false, isStarred: true, tags: ['a', 'b'] };

test.each<[string, MarkChange, Partial<typeof MARKS> | null]>([
  ['nothing', {}, null],
  ['what is so already', { read: false, starred: true, addTags: ['A'], removeTags: ['c'] }, null],
  ['read', { read: true }, { isRead: true }],
  ['not starred', { starred: false }, { isStarred: false }],
  ['other tags', { tags: ['c', 'B'] }, { tags: ['B', 'c'] }],
  ['no tags', { tags: [] }, { tags: [] }],
  ['more tags', { addTags: ['aa'] }, { tags: ['a', 'aa', 'b'] }],
  ['fewer tags', { removeTags: ['B'] }, { tags: ['a'] }],
  ['all at once', { tags: ['x', 'y'], addTags: ['z', 'y'], removeTags: ['X'] }, { tags: ['y', 'z'] }],
])('a change to %s keeps the other marks', (_what, change, expected) => {
  expect(changeMarks(MARKS, change)).toEqual(expected && { ...MARKS, ...expected });
});

test('a message that just came has no mark', () => {
  expect(UNMARKED).toEqual({ isRead: false, isStarred: false, tags: [] });
});

const MAIL = { from: null, to: null, cc: null, rcptTo: [], xTags: null };
const RULES = { xTags: true, plusAddresses: true };

test('rules make tags of X-Tags and of plus-addresses, as far as they are on', () => {
  const mail = {
    ...MAIL,
    from: 'App <bounce+one@x.test>',
    to: '"A, B+c@d" <ada+two+three@x.test>, bob@x.test',
    cc: 'x+four@x.test, +five@x.test',
    rcptTo: ['ada+two@x.test', 'y+six@x.test'],
    xTags: ' News , , spring sale ',
  };
  const tags = ['five', 'four', 'News', 'one', 'six', 'spring sale', 'three', 'two'];
  expect(sortedTags(tagsByRule(mail, RULES))).toEqual(tags);
  expect(tagsByRule(mail, { ...RULES, plusAddresses: false })).toEqual(['News', 'spring sale']);
  expect(tagsByRule(mail, { xTags: false, plusAddresses: false })).toEqual([]);
});

test('a hostile address list costs little and gives no hostile tag', () => {
  const begun = processorMs();
  const tags = tagsByRule({ ...MAIL, to: `${'a+'.repeat(1_000_000)}@x.test`, cc: '+\u0000\u001b@x' }, RULES);
  expect(processorMs() - begun).toBeLessThan(1_000);
  expect(tags).toEqual([]);
});
