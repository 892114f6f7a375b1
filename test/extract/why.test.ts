import { expect, test } from 'vitest';
import { readCodes } from '../../src/extract/codes.ts';
import { findLinks } from '../../src/extract/links.ts';
import { whyCode, whyLink } from '../../src/extract/why.ts';

const mail = (text: string, subject: string | null = null) => ({ subject, text, html: null });

test('the chosen code comes first with its reasons, and numbers that are no code follow with theirs', () => {
  const { candidates, hint } = whyCode(readCodes(mail('Your code is 481516.\n\nOrder number: 99127743\n')));
  expect(candidates[0]).toMatchObject({ value: '481516', kind: null, verdict: 'chosen' });
  expect(candidates[0]?.reason).toContain('"');
  expect(candidates.find(({ value }) => value === '99127743')).toMatchObject({ verdict: 'no' });
  expect(hint).toBeNull();
});

test('a code that does not look like one comes with the pattern that finds it', () => {
  const { hint } = whyCode(readCodes(mail('Your verification code is: winter-river-42x\n')));
  expect(hint).toBe('If winter-river-42x is the code: code({ pattern: /^[a-z]{6}-[a-z]{5}-\\d{2}[a-z]{1}$/ }).');
});

test('pieces of an address are no candidates', () => {
  const { candidates } = whyCode(readCodes(mail('Your code is 481516. https://x.test/a/99127743/12345678?c=884422\n')));
  expect(candidates.map(({ value }) => value)).toEqual(['481516']);
});

test('links come by their rank, and links that are equally likely with the way to choose one', () => {
  const text =
    'Verify your email: https://x.test/a/abcdef0123456789\nReset your password: https://x.test/b/abcdef9876543210\n';
  const { candidates, hint } = whyLink(findLinks(mail(`${text}Unsubscribe: https://x.test/u/1\n`)));
  expect(candidates.map(({ kind, verdict }) => [kind, verdict])).toEqual([
    ['verify', 'unsure'],
    ['reset', 'unsure'],
    ['unsubscribe', 'further'],
  ]);
  expect(candidates[0]?.reason).toBe('the words before it say "verify"');
  expect(hint).toBe("Describe the link: link('verify') or link('reset').");
});
