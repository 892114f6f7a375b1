import { expect, test } from 'vitest';
import { aroundMatch, hiddenMatch } from '../../src/text/around-match.ts';

test.each([
  ['one two three four', 4, 3, 20, ['one ', 'two', ' three four']],
  ['one two three four', 14, 4, 7, ['…three ', 'four', '']],
  ['abcdefghijkl mn', 13, 2, 5, ['…', 'mn', '']],
  ['match', 0, 5, 0, ['', 'match', '']],
])('%j at %i is split', (snippet, start, length, most, [before, text, after]) => {
  expect(aroundMatch({ field: 'body', snippet, start, length }, most)).toEqual({ before, text, after });
});

test('a match in a field that lists show is not a hidden one', () => {
  const at = (field: string) => ({ field, snippet: 'x', start: 0, length: 1 });
  expect(hiddenMatch([at('subject'), at('body'), at('cc')])).toEqual(at('body'));
  expect(hiddenMatch([at('from'), at('to')])).toBeNull();
  expect(hiddenMatch(undefined)).toBeNull();
});
