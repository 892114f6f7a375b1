import { expect, test } from 'vitest';
import { withoutQuote } from '../../src/providers/inbound/mail.ts';

test.for([
  ['nothing quoted', 'Yes.\n\nSee the list:', 'Yes.\n\nSee the list:'],
  ['a quote below', 'Yes.\n\nOn Fri, 27 Nov 2026 Ada wrote:\n> Shall we?\n', 'Yes.'],
  [
    'Gmail’s introduction in two lines',
    'Yes.\n\nOn Fri, Nov 27, 2026 at 2:31 AM Ada\n<ada@x.test> wrote:\n\n> Shall we?',
    'Yes.',
  ],
  [
    'a name that is broken',
    'Yes.\nOn Fri, Nov 27, 2026 at 2:31 AM Ada\nLovelace <ada@x.test> wrote:\n> Shall we?',
    'Yes.',
  ],
  ['the introduction of the web inbox', 'Yes.\n\nShop <shop@x.test> wrote:\n> Shall we?', 'Yes.'],
  ['another language', 'Ja.\n\nAm 27.11.2026 um 02:31 schrieb Ada:\n> Wollen wir?', 'Ja.'],
  ['a reply below the quote', '> Shall we?\n\nYes.', 'Yes.'],
  [
    'replies between quotes',
    '> Shall we?\nYes.\n> When?\nIt depends on this:\n> Where?\nHere.',
    'Yes.\nIt depends on this:\nHere.',
  ],
  ['Outlook', 'Yes.\r\n\r\n-----Original Message-----\r\nFrom: Ada', 'Yes.'],
  ['a quote alone', '> Shall we?', ''],
] as const)('of a reply with %s its own words are left', ([, text, own]) => {
  expect(withoutQuote(text)).toBe(own);
});

test('a huge quote takes no time', () => {
  const started = performance.now();
  expect(
    withoutQuote(`Yes.\n${'On 1 :\n> x\n'.repeat(10_000)}${'On 2026 '.repeat(50_000)}:\n> x`).startsWith('Yes.'),
  ).toBe(true);
  expect(performance.now() - started).toBeLessThan(2_000);
});
