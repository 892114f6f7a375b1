import { expect, test } from 'vitest';
import { chooseCode } from '../../src/client/mailbox/choose-code.ts';
import { MailcapError } from '../../src/client/errors.ts';
import { readCodes } from '../../src/extract/codes.ts';
import { MAILS_OF_ACCOUNTS, type WholeMail } from './mails-of-accounts.ts';
import { MAILS_OF_TRADE } from './mails-of-trade.ts';
import { PLAIN, TRAPS } from './sentences-with-codes.ts';

const ERRORS: Readonly<Record<string, string>> = { no_code: 'none', several_codes: 'several' };

function answer(mail: { subject?: string; text?: string; html?: string }, pattern?: RegExp): string {
  const { subject = null, text = null, html = null } = mail;
  return answerOf(() => chooseCode(readCodes({ subject, text, html }), { pattern }, 'the mail'));
}

function answerOf(choose: () => string): string {
  try {
    return choose();
  } catch (error) {
    if (error instanceof MailcapError && error.code in ERRORS) return ERRORS[error.code] ?? '';
    throw error;
  }
}

test.each(TRAPS)('a number beside a word for a code: %j has %s', (text, expected) => {
  expect(answer({ text })).toBe(expected);
});

test.each(PLAIN)('a code as it is written by some: %j has %s', (text, expected) => {
  expect(answer({ text })).toBe(expected);
});

const MAILS: readonly WholeMail[] = [...MAILS_OF_ACCOUNTS, ...MAILS_OF_TRADE];

test.each(MAILS.filter(({ code }) => code !== undefined))('the code of a whole mail: $name', ({ code, ...mail }) => {
  const expected = code === null ? 'none' : typeof code === 'string' ? code?.replace(/[ -]/g, '') : 'several';
  expect(answer(mail)).toBe(expected);
});

test('a subject and a body that differ are ambiguous', () => {
  expect(answer({ subject: 'Your code is 111222', text: 'Your code is 333444' })).toBe('several');
});

test.each([
  ['Your verification code: 20261121', /^\d{8}$/, '20261121'],
  ['Your verification code: 90210-7', /^\d{5}-\d$/, '90210-7'],
  ['Your door code is 2580# and the wifi password is 12345678', /^\d{4}#$/, '2580#'],
  ['Your booking code is QX7T9L. Flight code LH1234.', /^[A-Z0-9]{6}$/, 'none'],
  ['Your code is on its way by SMS to 5551234.', /^\d{7}$/, 'none'],
])('a pattern tells what a code looks like, not that a number is one: %s %s', (text, pattern, expected) => {
  expect(answer({ text }, pattern)).toBe(expected);
});

test('the error lists what was looked at, and why it was refused', () => {
  const text = 'Your login code is 20261121. Customer code 558201. Pay $4815 to 5551234.';
  expect(() => chooseCode(readCodes({ subject: null, text, html: null }), {}, '"Hello"')).toThrow(
    [
      'There is no code in "Hello": nothing a person sees in it reads like one.',
      'Looked at and refused:',
      '  20261121 (after "login code", a date)',
      '  5551234 (no word for a code near it)',
      '  $4815 (an amount)',
      '  558201 (beside "customer code", another kind of number)',
      'If a refused one is the code, say what yours look like',
    ].join('\n'),
  );
});
