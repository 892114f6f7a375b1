import { expect, test } from 'vitest';
import { bodyHas, type ParsedMail } from '../../src/domain/parsed-mail.ts';

function mail(textBody: string | null, htmlBody: string | null): ParsedMail {
  const none = { from: null, to: null, cc: null, bcc: null, replyTo: null, subject: null };
  return { ...none, textBody, htmlBody, headers: {}, toAndCc: [], attachments: [], parseError: null };
}

test.each([
  ['Your Code is 12', null, 'code is', true],
  ['plain', '<b>rich</b>', 'rich', false],
  [null, '<p class="code">Your <b>code</b>', 'your code', true],
  [null, '<p class="hidden">x</p>', 'hidden', false],
  [null, 'a < b', 'a < b', true],
  [null, null, 'a', false],
])('the body of %j or %j has %j: %s', (text, html, part, has) => {
  expect(bodyHas(mail(text, html), part)).toBe(has);
});

test('a mail made of brackets costs no more than its length', () => {
  expect(bodyHas(mail(null, '<'.repeat(2_000_000)), 'x')).toBe(false);
});
