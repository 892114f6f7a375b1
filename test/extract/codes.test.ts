import { expect, test } from 'vitest';
import { findCodes } from '../../src/extract/codes.ts';
import { MAILS_WITH_CODES } from './mails-with-codes.ts';

function find(mail: { subject?: string; text?: string; html?: string }) {
  return findCodes({ subject: mail.subject ?? null, text: mail.text ?? null, html: mail.html ?? null });
}

test.each(MAILS_WITH_CODES)('the code of $name: $codes', ({ codes, ...mail }) => {
  const first = find(mail).filter(({ rank }) => rank === 1);
  expect(first.map(({ code }) => code).sort()).toEqual([...codes].sort());
  expect(first.every(({ ambiguous }) => ambiguous === codes.length > 1)).toBe(true);
  expect(first.every(({ reason }) => reason !== '')).toBe(true);
});

test('a code is given as one enters it and as the mail writes it, with every reason', () => {
  const html = '<p>Your verification code:</p><h1>482-913</h1>';
  expect(find({ subject: 'Your code 482913', html })).toEqual([
    {
      code: '482913',
      written: '482-913',
      reason: 'after "verification code", alone on its line, large, in the subject',
      confidence: 'high',
      rank: 1,
      ambiguous: false,
    },
  ]);
});

test('a likelier code comes first, and the other is listed too', () => {
  const html = '<h1>Your verification code</h1><h1>481516</h1><p>Not you? Tell us the PIN 7731.</p>';
  expect(find({ html }).map(({ code, rank, ambiguous }) => ({ code, rank, ambiguous }))).toEqual([
    { code: '481516', rank: 1, ambiguous: false },
    { code: '7731', rank: 2, ambiguous: false },
  ]);
});

test.each([
  ['a date', '2026-11-20'],
  ['a short date', '20-11-26'],
  ['a date with slashes', '20/11/2026'],
  ['a time', '14:05'],
  ['a price', '$4815'],
  ['a price with its currency behind', '4815 EUR'],
  ['an amount', '4,815'],
  ['a share', '4815%'],
  ['a version', '4.8.15'],
  ['a number sign', '#481516'],
  ['a colour', '#48151f'],
  ['a phone number', '+14815162342'],
  ['a phone number in groups', '555 0199 23'],
  ['a local phone number', '555-0199'],
  ['a span of time', '4815 minutes'],
  ['a long number', '48151623420'],
  ['a period of years', '2020-2026'],
  ['a short number', '481'],
  ['a parameter', 'id=481516'],
  ['a name', 'SHA256'],
])('%s is no code, whatever stands before it: %s', (_what, written) => {
  expect(find({ text: `Your verification code: ${written}` })).toEqual([]);
});

test('a mail without any body has none', () => {
  expect(findCodes({ subject: null, text: null, html: null })).toEqual([]);
});

test.each(['Enter 739204 to log in.', 'Ange 739204 för att logga in.', 'Syötä 739204 kirjautuaksesi sisään.'])(
  'a number right after a verb that asks to enter it is rather a code, in every language: %s',
  (text) => {
    expect(findCodes({ subject: 'Example', text, html: null })).toMatchObject([
      { code: '739204', confidence: 'medium' },
    ]);
  },
);
