import { expect, test } from 'vitest';
import { MailcapError } from '../../src/client/errors.ts';
import { chooseCode } from '../../src/client/mailbox/choose.ts';
import { readCodes } from '../../src/extract/codes.ts';
import { visibleText } from '../../src/extract/visible-text.ts';
import { MAILS_OF_ACCOUNTS, type WholeMail } from './mails-of-accounts.ts';
import { MAILS_OF_TRADE } from './mails-of-trade.ts';
import { PLAIN, TRAPS } from './sentences-with-codes.ts';

const ERRORS: Readonly<Record<string, string>> = { no_code: 'none', several_codes: 'several' };

function answer(mail: { subject?: string; text?: string; html?: string }, pattern?: RegExp): string {
  return answerOf(() => choose(mail, pattern));
}

function choose(mail: { subject?: string; text?: string; html?: string }, pattern?: RegExp): string {
  const { subject = null, text = null, html = null } = mail;
  const seen = () => [subject ?? '', html === null ? '' : visibleText(html).text, text ?? ''];
  return chooseCode(readCodes({ subject, text, html }), { pattern }, 'the mail', seen);
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

test.each(PLAIN)('a code in an unusual spelling: %j has %s', (text, expected) => {
  expect(answer({ text })).toBe(expected);
});

/** Digits are entered without separators. */
function entered(written: string): string {
  return /[a-z]/i.test(written) ? written : written.replace(/[ -]/g, '');
}

const MAILS: readonly WholeMail[] = [...MAILS_OF_ACCOUNTS, ...MAILS_OF_TRADE];

test.each(MAILS.filter(({ code }) => code !== undefined))('the code of a whole mail: $name', ({ code, ...mail }) => {
  const expected = code === null ? 'none' : typeof code === 'string' ? entered(code) : 'several';
  expect(answer(mail)).toBe(expected);
});

test('a subject and a body that differ are ambiguous', () => {
  expect(answer({ subject: 'Your code is 111222', text: 'Your code is 333444' })).toBe('several');
});

test.each([
  ['Your verification code: 20261121', /^\d{8}$/, '20261121'],
  ['Your verification code: 90210-7', /^\d{5}-\d$/, '90210-7'],
  ['Your door code is 2580# and the wifi password is 12345678', /^\d{4}#$/, '2580#'],
  ['Your code is on its way by SMS to 5551234.', /^\d{7}$/, '5551234'],
  ['Ticket SHOP-4815 is yours.', /[A-Z]+-\d+/, 'SHOP-4815'],
  ['Ticket SHOP-4815 is yours. So is SHOP-2342.', /Ticket ([A-Z]+-\d+)/, 'SHOP-4815'],
  ['The word is "swordfish".', /word is "(\w+)"/, 'swordfish'],
  ['Your code is 481 516.', /^\d{6}$/, '481516'],
  ['Your code is 481516, order 99481516.', /\d{6}/, '481516'],
  ['Your booking code is QX7T9L. Flight code LH1234.', /^[A-Z0-9]{6}$/, 'several'],
  ['Order 558201 and order 558202.', /\d{6}/, 'several'],
  ['Your code is 481516.', /^\d{8}$/, 'none'],
])('a pattern decides alone: %s %s gives %s', (text, pattern, expected) => {
  expect(answer({ text }, pattern)).toBe(expected);
});

test('a pattern is tried on the visible text, also of the HTML, and not on hidden text', () => {
  const html = '<p style="display:none">KEY-1</p><p>The key: <b>KEY-2</b></p><!-- KEY-3 -->';
  expect(answer({ html }, /KEY-\d/)).toBe('KEY-2');
});

test('several matches are an error that says how to tell them apart', () => {
  expect(() => choose({ text: 'Order 558201 and order 558202.' }, /\d{6}/)).toThrow(
    /^\/\\d\{6\}\/ matches several times in the mail:\n {2}558201 .*\n {2}558202 .*\nAdd the words beside the code/,
  );
});

test('the error lists the candidates, and why each was refused', () => {
  const text = 'Your login code is 2026-11-21. Customer code 558201. Pay $4815 to 5551234.';
  const choice = () => chooseCode(readCodes({ subject: null, text, html: null }), {}, '"Hello"');
  expect(choice).toThrow(
    /^There is no code in "Hello": no visible text in it looks like a code\.\nCandidates that do not count as a code:\n/,
  );
  for (const line of [
    '  2026-11-21 (after "login code", a date)\n',
    '  5551234 (no word for a code near it)\n',
    '  $4815 (an amount)\n',
    '  558201 (beside "customer code", another kind of number)\n',
    '\nIf one of the candidates is the code, describe it',
  ]) {
    expect(choice).toThrow(line);
  }
});
