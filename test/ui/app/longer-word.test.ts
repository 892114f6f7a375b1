import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPlaces } from '../../../src/domain/search/find-places.ts';
import { parseQuery } from '../../../src/domain/search/query.ts';
import { withLongerWord } from '../../../ui/web/app/longer-word.ts';
import { NO_MARKS, type WebRow } from '../../../ui/web/app/state.ts';

/** A mail with a subject and a text, as the server's own search shows it. Null if the search does not find it. */
function found(query: string, subject: string, body: string): WebRow | null {
  const terms = parseQuery(query);
  const texts = (field: string) => (field === 'subject' ? [subject] : []);
  const search = findPlaces(terms, { texts, body: () => [body] });
  let step = search.next();
  while (!step.done) step = search.next();
  const isFound = terms.every((term) => {
    const alone = findPlaces([term], { texts, body: () => [body] });
    let one = alone.next();
    while (!one.done) one = alone.next();
    return one.value.length > 0;
  });
  if (!isFound) return null;
  return {
    ...{ id: '1', mailboxId: 'box', copyKey: '1', from: '', to: '', subject, receivedAt: 0, sizeBytes: 1 },
    ...{ attachmentCount: 0, ...NO_MARKS, matches: step.value },
  };
}

test.each([
  ['the letters behind the match are those', 'harb', 'harbour', 'The Harbour', ''],
  ['the match is in the text', 'harb', 'harbour', 'Hello', 'down at the HARBOUR'],
  ['another word came first', 'the harb', 'the harbo', 'The harbour', ''],
])(
  'a search of a longer word finds the same mail before the server answers: %s',
  (_what, before, query, subject, body) => {
    const row = found(before, subject, body);
    expect(row && withLongerWord([row], before, query)).toEqual([found(query, subject, body)]);
  },
);

test.each([
  ['other letters follow it', 'harb', 'harbi', 'Harbour', 'harbinger'],
  ['the mail ends', 'harb', 'harbo', 'harb', ''],
  ['a mark joins with its last letter', 'harb', 'harbo', 'harbo\u0308', ''],
  ['the word is another', 'harb', 'inv', 'harbour invoice', ''],
  ['a letter was taken back', 'harb', 'har', 'harbour', ''],
  ['a new word begins', 'harb', 'harb o', 'harb o', ''],
  ['another word begins alike', 's s', 's sa', 'sa', ''],
  ['it is a search word', 'subject:har', 'subject:harb', 'harbour', ''],
  ['it is in quotes', '"har', '"harb', 'harbour', ''],
])('the server decides about a search if %s', (_what, before, query, subject, body) => {
  const row = found(before.replace(/^"/, ''), subject, body);
  expect(row && withLongerWord([row], before, query)).toBe(null);
});

test('the server decides for all if one copy of a mail does not match as the others do', () => {
  const row = found('harb', 'harbour', '');
  const other = found('harb', 'harbinger', '');
  if (row === null || other === null) throw new Error('both match');
  expect(withLongerWord([{ ...row, copies: [other] }], 'harb', 'harbo')).toBe(null);
  expect(withLongerWord([{ ...row, copies: [row] }], 'harb', 'harbo')?.[0]?.copies).toHaveLength(1);
  expect(withLongerWord([row, other], 'harb', 'harbo')).toBe(null);
  expect(withLongerWord([], 'harb', 'harbo')).toBe(null);
});

test('what is shown before the server answers is what its search finds, with the same matches', () => {
  const letter = fc.constantFrom('a', 'b', 'A', 'ß', 's', 'i', 'İ', '\u0308', '\u00ad', 'ａ', ' ', '.', '-');
  const text = fc.array(letter, { maxLength: 14 }).map((letters) => letters.join(''));
  const word = fc.array(fc.constantFrom('a', 'b', 's', 'i'), { minLength: 1, maxLength: 3 }).map((one) => one.join(''));
  let shown = 0;
  fc.assert(
    fc.property(text, text, text, word, word, fc.option(word), (subject, head, tail, short, more, other) => {
      const body = `${head}${short}${more}${tail}`;
      const before = other === null ? short : `${other} ${short}`;
      const row = found(before, subject, body);
      const longer = row && withLongerWord([row], before, before + more);
      if (!longer) return;
      shown++;
      expect(longer).toEqual([found(before + more, subject, body)]);
    }),
    { numRuns: 5_000 },
  );
  expect(shown).toBeGreaterThan(100);
});
