import { describe, expect, test } from 'vitest';
import { writeQuery } from '../../../src/domain/search/query.ts';
import { readSearch } from '../../../src/http/compat/mailpit-search.ts';

describe('a search of Mailpit as a query', () => {
  test.each([
    ['to:ada', 'to:"ada"'],
    ['TO:"Ada Lovelace"', 'to:"Ada Lovelace"'],
    ['"to:Ada Lovelace"', 'to:"Ada Lovelace"'],
    ['subject:"your code', 'subject:"your code"'],
    ['subject:a "b c" d', 'subject:"a" "b c" "d"'],
    ['-from:x !cc:y', '!from:"x" !cc:"y"'],
    ['from:<a@x.test>', 'from:"a@x.test"'],
    ['to: from:', ''],
    ['is:unread !is:read !is:TAGGED', 'is:unread !is:read !is:tagged'],
    ['tag:x !tag:"two  words" tag:a,b', 'tag:"x" !tag:"two words" tag:"a b"'],
    ['tag: is:odd', '"is:odd"'],
    ['has:attachments !has:inline', 'has:attachment !has:inline'],
    ['has:wings url:x body:y', '"has:wings" "url:x" "body:y"'],
    ['larger:2kb smaller:1.5m', 'larger:2048 smaller:1572864'],
    ['after:2026-11-20', 'after:2026-11-20T00:00:00.000+00:00'],
    ['before:"2026-11-20 15:55"', 'before:2026-11-20T15:55:00.000+00:00'],
    ['a\\ "', '"a\\\\"'],
    ['- !', '"-" "!"'],
  ])('%s', (search, query) => {
    expect(writeQuery(readSearch(search))).toBe(query);
  });

  test.each(['after:yesterday', 'larger:x', 'x'.repeat(2_001), 'x '.repeat(51)])('%.12s is refused', (search) => {
    expect(() => readSearch(search)).toThrow('invalid_query');
  });
});
