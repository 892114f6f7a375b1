import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasWord, readSaved, toggledSaved, toggledWord } from '../../../ui/web/mail/search-words.ts';

test.each([
  ['', 'is:unread'],
  ['invoice', 'invoice is:unread'],
  ['is:unread', ''],
  ['a IS:unread  b', 'a b'],
  ['"is:unread"', '"is:unread" is:unread'],
  ['subject:"two words" x', 'subject:"two words" x is:unread'],
  ['"open quote', '"open quote is:unread'],
])('the word is toggled in %j', (query, expected) => {
  expect(toggledWord(query, 'is:unread')).toBe(expected);
});

test('a toggled word is there, and a second toggle removes it', () => {
  const query = fc.array(fc.constantFrom('a', 'from:x', '"two words"', 'has:code'), { maxLength: 5 });
  fc.assert(
    fc.property(query, (words) => {
      const once = toggledWord(words.join(' '), 'after:1h');
      expect(hasWord(once, 'after:1h')).toBe(true);
      expect(toggledWord(once, 'after:1h')).toBe(words.join(' '));
    }),
  );
});

test('the newest searches are kept, each once', () => {
  const many = Array.from({ length: 12 }, (_none, n) => `q${n}`).reduce<readonly string[]>(toggledSaved, []);
  expect(many).toEqual(['q11', 'q10', 'q9', 'q8', 'q7', 'q6', 'q5', 'q4']);
  expect(toggledSaved(many, 'q10')).not.toContain('q10');
  expect([readSaved(null), readSaved('{'), readSaved('["a",1]')]).toEqual([[], [], ['a']]);
});
