import { expect, test } from 'vitest';
import { chooseLink, type LinkFilter } from '../../src/client/mailbox/choose-link.ts';
import { MailcapError } from '../../src/client/errors.ts';
import { findLinks } from '../../src/extract/links.ts';
import { MAILS_OF_ACCOUNTS, type WholeMail } from './mails-of-accounts.ts';
import { MAILS_OF_TRADE } from './mails-of-trade.ts';

const ERRORS: Readonly<Record<string, string>> = { no_link: 'none', several_links: 'several' };

function answer({ text = null, html = null }: { text?: string | null; html?: string | null }, filter?: LinkFilter) {
  try {
    return chooseLink(findLinks({ text, html }), filter, 'the mail').href;
  } catch (error) {
    if (error instanceof MailcapError && error.code in ERRORS) return ERRORS[error.code];
    throw error;
  }
}

const MAILS: readonly WholeMail[] = [...MAILS_OF_ACCOUNTS, ...MAILS_OF_TRADE];

test.each(MAILS.filter(({ link }) => link !== undefined))('the link of a whole mail: $name', ({ link, ...mail }) => {
  expect(answer(mail)).toBe(link ?? 'several');
});

const a = (path: string, text: string) => `<p><a href="https://acme.test${path}">${text}</a></p>`;
const RESET = a('/password/reset', 'Reset your password');
const COUNTED = '<p><a href="https://u1.ct.sendgrid.net/ls/click?upn=u001-ab">Sign in to Acme</a></p>';
const HEADER = `${a('/', 'Acme')}${a('/shop', 'Shop')}${a('/sale', 'Sale')}`;

test.each([
  ['a sign-in that is counted, and a reset in the footer', `${COUNTED}<p>Forgot it?</p>${RESET}`, 'several'],
  ['a magic link and a reset in the footer', `${a('/magic?t=1', 'Sign in now')}${RESET}`, 'several'],
  [
    'a start and a page of help',
    `${a('/start', 'Get started')}${a('/help/verify', 'Why verify your email?')}`,
    'several',
  ],
  [
    'a verification behind a page of help',
    `${a('/help/1', 'How it works')}${a('/verify', 'Verify email')}`,
    'https://acme.test/verify',
  ],
  ['a main link that has a word of a footer', `${a('/t/7', 'View your support ticket')}${RESET}`, 'several'],
  [
    'a link and what stands in every footer',
    `${a('/orders/7', 'Your order')}${a('/p', 'Privacy policy')}${a('/c', 'Contact us')}${a('/v', 'View in your browser')}`,
    'https://acme.test/orders/7',
  ],
  ['a start and a page on verifying', `${a('/start', 'Get started')}${a('/why', 'Why verify your email?')}`, 'several'],
  [
    'a reset behind the pages of a shop',
    `${HEADER}${a('/r?token=a1', 'Reset password')}`,
    'https://acme.test/r?token=a1',
  ],
  ['a personal page behind a hint', `${RESET}${a('/receipt?key=a1', 'View your receipt')}`, 'several'],
  [
    'a verification before other pages',
    `${a('/verify', 'Verify email')}${a('/start', 'First steps')}`,
    'https://acme.test/verify',
  ],
  ['only a home page and one more', `${a('/', 'Acme')}${a('/orders/7', 'Your order')}`, 'https://acme.test/orders/7'],
  ['only a home page', a('/', 'Acme'), 'https://acme.test/'],
  ['two pages of no kind', `${a('/orders/7', 'Your order')}${a('/shop', 'Shop')}`, 'several'],
])('the link to follow of %s', (_what, html, expected) => {
  expect(answer({ html })).toBe(expected);
});

test.each(['/magic?t=1', '/magic-link/abc123', '/login/magic?token=abc123', '/login?token=abc123'])(
  'a magic link by its address: %s',
  (path) => {
    expect(answer({ html: `${a(path, 'Sign in')}${a('/docs/magic-link', 'What is a magic link?')}` }, 'magic')).toBe(
      `https://acme.test${path}`,
    );
  },
);

test.each(['/login', '/magic-link', '/features/magic-link'])('a page for everybody is no magic link: %s', (path) => {
  expect(answer({ html: a(path, 'Log in') }, 'magic')).toBe('none');
});
