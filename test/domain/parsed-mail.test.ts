import { expect, test } from 'vitest';
import { bodyHas, lookInBody, type ParsedMail } from '../../src/domain/parsed-mail.ts';

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

test.each([
  ['text', (filling: string) => mail(`${filling}Your CODE ΟΔΟΣ is${filling}`, null)],
  ['HTML', (filling: string) => mail(null, `<p>${filling}Your <b>CODE</b> ΟΔΟΣ<br> is<i>${filling}</i>`)],
  ['HTML of many tags', (filling: string) => mail(null, `${'<p>x</p>'.repeat(30_000)}${filling}Your CODE ΟΔΟΣ is<b>`)],
])('a large body of %s is looked through in pieces, and what lies across two is found', (_what, make) => {
  for (let shift = 0; shift < 30; shift++) {
    const large = make('.'.repeat(64 * 1024 - 25 + shift));
    expect(bodyHas(large, 'your code οδος is')).toBe(true);
    expect(bodyHas(large, 'your codes')).toBe(false);
    expect([...lookInBody(large, 'nowhere')].length).toBeGreaterThan(1);
  }
});
