import { expect, test } from 'vitest';
import { findLinks } from '../../src/extract/links.ts';
import { MAILS_WITH_LINKS } from './mails-with-links.ts';

test.each(MAILS_WITH_LINKS)('links: $name', ({ subject, text, html, links }) => {
  const found = findLinks({ subject: subject ?? null, text: text ?? null, html: html ?? null });
  expect(found.map(({ kind, url, tracker }) => (tracker === undefined ? [kind, url] : [kind, url, tracker]))).toEqual(
    links,
  );
  expect(found.every(({ reason }) => reason !== '')).toBe(true);
});

test('a link has its visible text and the reason for its kind', () => {
  const html = '<p>Welcome</p><a href="https://example.com/x">Verify\n <b>my</b> email</a>';
  expect(findLinks({ subject: null, html, text: null })).toEqual([
    {
      ...{ url: 'https://example.com/x', text: 'Verify my email', kind: 'verify', reason: 'its text says "verify"' },
      ...{ part: 'html', rank: 1, ambiguous: false },
    },
  ]);
});

test.each([
  ['https://example.com/password-reset/1', 'its address says "password-reset"'],
  ['https://example.com/x', 'nothing says what it is for'],
])('a bare link is its own text: %s', (url, reason) => {
  expect(findLinks({ subject: null, html: null, text: url })).toMatchObject([{ url, text: url, reason }]);
});

test('a reader can follow web links, app links, mail addresses and phone numbers, and nothing else', () => {
  const html = [
    ...['mailto:help@shop.example?subject=unsubscribe', 'tel:+4930123', 'myapp://login/1', 'https://shop.example/a'],
    ...['javascript:alert(1)', 'file:///etc/passwd', '/relative', 'cid:logo', '#top', 'mailto:'],
  ].map((href) => `<a href="${href}">Go</a>`);
  const text = 'Write to <mailto:ada@shop.example>, (mailto:bob@shop.example). Not email:me or mailto: alone.';
  expect(findLinks({ subject: null, html: html.join(' '), text }, 'followed').map(({ url }) => url)).toEqual([
    ...['mailto:help@shop.example?subject=unsubscribe', 'tel:+4930123', 'myapp://login/1', 'https://shop.example/a'],
    ...['mailto:ada@shop.example', 'mailto:bob@shop.example'],
  ]);
});

test('of a link that occurs many times, one of the first places may tell its kind', () => {
  const url = 'https://shop.test/a?token=5f1c8a';
  const mentions = (before: number) => `${`See ${url} \n`.repeat(before)}Please verify your address: ${url}\n`;
  expect(findLinks({ subject: null, text: mentions(10), html: null })).toMatchObject([{ url, kind: 'verify' }]);
  expect(findLinks({ subject: null, text: mentions(30), html: null })).toMatchObject([{ url, kind: 'other' }]);
});

const SECRET = 'https://shop.test/q/5f1c8aH05TXntHq4VNsuh6VwFNlcI3';

test.each([
  ['To join the talks, please activate your account with this link:', 'verify'],
  ['Ada invited you to join the club. Accept the invitation here:', 'invite'],
  ['This is an invitation to use https://shop.test/, and you can create an account:', 'invite'],
  ['Somebody asked for a new sign-in. Sign in with this link:', 'magic'],
  ['Continue here:\n\nTHE LINK\n\nThanks\n\nIf you did not ask to reset your password, ignore this mail.', 'reset'],
  ['Continue here:\n\nTHE LINK\n\nThanks\n\nOrder 4711: forgot something? Reset your password.', 'other'],
  [
    'Continue here:\n\nTHE LINK\n\nThanks\n\nYou can verify your email address later.\n\nIf you forgot your password, reset it.',
    'other',
  ],
  ['Você foi convidado. Para se inscrever, abra:', 'invite'],
])('the words of a mail decide: %s', (words, kind) => {
  const text = words.includes('THE LINK') ? words.replace('THE LINK', SECRET) : `${words}\n\n${SECRET}\n`;
  const links = findLinks({ subject: null, text, html: null });
  expect(links.find(({ url }) => url === SECRET)?.kind).toBe(kind);
});

test('a button to sign in below a sentence that speaks of signing up verifies', () => {
  const html = (words: string) => `<p>${words}</p><p><a href="${SECRET}">Accedi</a></p>`;
  const kindOf = (words: string) => findLinks({ subject: null, text: null, html: html(words) })[0]?.kind;
  expect(kindOf('Clicca sul pulsante per procedere con la registrazione.')).toBe('verify');
  expect(kindOf('Clicca sul pulsante per procedere.')).toBe('magic');
});
