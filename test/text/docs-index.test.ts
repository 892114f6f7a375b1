import { expect, test } from 'vitest';
import { type DocsSection, docsIndexOf, docsWords, findInDocs } from '../../src/text/docs-index.ts';

const SECTIONS: DocsSection[] = [
  { page: 'faults', anchor: '', titles: ['Fault injection'], text: 'Rules make SMTP or HTTP fail on purpose.' },
  {
    page: 'faults',
    anchor: 'a-rule',
    titles: ['Fault injection', 'A rule'],
    text: 'A rule has a stage. The stage is rcpt.',
  },
  { page: 'client', anchor: '', titles: ['The client'], text: 'await mailbox.waitForCode({ subject: "code" })' },
  { page: 'clock', anchor: '', titles: ['The clock'], text: 'The clock of a workspace follows the rules of faults.' },
];
const INDEX = docsIndexOf(SECTIONS);
const find = (query: string) =>
  findInDocs(INDEX, query, 10).map(({ page, anchor }) => (anchor === '' ? page : `${page}#${anchor}`));

test.each([
  ['SMTP_URL and --smtp-port', ['smtp', 'url', 'and', 'smtp', 'port']],
  ['waitForCode', ['waitforcode', 'wait', 'for', 'code']],
  ['Ünïcode', ['ünïcode']],
  ['', []],
])('the words of %j', (text, words) => {
  expect(docsWords(text)).toEqual(words);
});

test.each([
  // A title says more than a text, and the plural finds the singular.
  ['faults', ['faults', 'clock', 'faults#a-rule']],
  ['rule', ['faults#a-rule', 'faults', 'clock']],
  // All words have to be there, if some section has them all.
  ['stage rule', ['faults#a-rule']],
  ['clock stage', ['clock', 'faults#a-rule']],
  // The parts of a name, and the beginning of a word, find it.
  ['wait for code', ['client']],
  ['waitfor', ['client']],
  // Words that every section has count only alone.
  ['the stage of a', ['faults#a-rule']],
  ['the', ['client', 'clock', 'faults#a-rule']],
  ['nothing', []],
  ['', []],
  ['" \\ .*', []],
])('%j finds %j', (query, found) => {
  const got = find(query);
  if (query === 'the') expect(got.sort()).toEqual(found.sort());
  else expect(got).toEqual(found);
});

test('a snippet is the piece with the words, marks them, and says where it was cut', () => {
  const text = `${'before '.repeat(40)}the needle and the thread ${'after '.repeat(40)}`.trim();
  const index = docsIndexOf([{ page: 'p', anchor: '', titles: ['P'], text }]);
  const [found] = findInDocs(index, 'thread needles', 1);
  const snippet = found?.snippet ?? [];
  expect(snippet.filter(({ isHit }) => isHit).map((part) => part.text)).toEqual(['needle', 'thread']);
  const whole = snippet.map((part) => part.text).join('');
  expect(whole).toMatch(/^… before .*needle and the thread.*after …$/);
  expect(text).toContain(whole.slice(2, -2));
  expect(whole.length).toBeLessThan(200);
});
