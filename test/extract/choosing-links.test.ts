import { expect, test } from 'vitest';
import { MailcapError } from '../../src/client/errors.ts';
import { chooseLink, type LinkFilter } from '../../src/client/mailbox/choose.ts';
import type { MailContent } from '../../src/extract/bounds.ts';
import { findLinks } from '../../src/extract/links.ts';
import { MAILS_OF_ACCOUNTS, type WholeMail } from './mails-of-accounts.ts';
import { MAILS_OF_TRADE } from './mails-of-trade.ts';

const ERRORS: Readonly<Record<string, string>> = {
  no_link: 'none',
  several_links: 'several',
  relative_link: 'relative',
};

function answer({ subject = null, text = null, html = null }: Partial<MailContent>, filter?: LinkFilter) {
  try {
    return chooseLink(findLinks({ subject, text, html }, 'every'), filter, 'the mail');
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
  [
    'a button, and the settings of mails in a sentence below it, which alone has a token',
    `${a('/event/12', 'Termin ansehen')}<p>Hier kannst du <a href="https://acme.test/q/5f1c8aH05TXntHq4VNsuh6Vw">einstellen</a>, was du bekommst.</p>`,
    'https://acme.test/event/12',
  ],
  [
    'a sentence with a token below a link to a page that says its address',
    '<p>https://acme.test/about/us</p><p>Bitte <a href="https://acme.test/q/5f1c8aH05TXntHq4VNsuh6Vw">hier</a> entlang.</p>',
    'https://acme.test/q/5f1c8aH05TXntHq4VNsuh6Vw',
  ],
  [
    'a button in a table within a table, and settings in a sentence below it, none with a token',
    `<table><tr><td><h1>Ada</h1></td></tr><tr><td><table><tr><td><a href="https://acme.test/post/4815">To the forum</a></td></tr></table></td></tr></table><p>You subscribed. <a href="https://acme.test/settings">Click here to alter that</a>.</p>`,
    'https://acme.test/post/4815',
  ],
  [
    'a button, and a page to contact, whose topic is no token',
    `${a('/confirm/5f1c8aH05TXntHq4VNsuh6Vw', 'Confirm registration')}${a('/contact?t=reg', 'A problem with your registration? Contact us.')}`,
    'https://acme.test/confirm/5f1c8aH05TXntHq4VNsuh6Vw',
  ],
  ['a sign-in that is counted, and a reset in the footer', `${COUNTED}<p>Forgot it?</p>${RESET}`, 'several'],
  [
    'a magic link and a reset in the footer, which has no token',
    `${a('/magic?t=1', 'Sign in now')}${RESET}`,
    'https://acme.test/magic?t=1',
  ],
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

const TRACKED = 'https://u12.ct.sendgrid.net/ls/click?upn=u001.Zm9vYmFyYmF6cXV4';

test.each<[string, { text?: string; html?: string }, LinkFilter | undefined, string]>([
  [
    'an app opens itself',
    { text: 'Sign in: myapp://login?token=a1b2c3d4e5f6' },
    undefined,
    'myapp://login?token=a1b2c3d4e5f6',
  ],
  [
    'an app is told by its kind',
    { html: '<a href="shop:verify/a1b2c3d4e5f6g7">Verify</a>' },
    'verify',
    'shop:verify/a1b2c3d4e5f6g7',
  ],
  [
    'the web goes before the app',
    {
      html: '<a href="myapp://verify?token=a1b2c3d4e5f6">In the app</a> <a href="https://x.test/verify?token=a1b2c3d4e5f6">Verify</a>',
    },
    undefined,
    'https://x.test/verify?token=a1b2c3d4e5f6',
  ],
  [
    'unless the app is asked for',
    {
      html: '<a href="myapp://verify?token=a1b2c3d4e5f6">In the app</a> <a href="https://x.test/verify?token=a1b2c3d4e5f6">Verify</a>',
    },
    { url: /^myapp:/ },
    'myapp://verify?token=a1b2c3d4e5f6',
  ],
  [
    'a link without a host is told as such',
    { html: '<a href="/reset?token=a1b2c3">Reset your password</a>' },
    undefined,
    'relative',
  ],
  [
    'and taken from a base that is given',
    { html: '<a href="/reset?token=a1b2c3">Reset your password</a>' },
    { base: 'https://shop.test/app/' },
    'https://shop.test/reset?token=a1b2c3',
  ],
  [
    'what a template left is no whole link',
    { html: '<a href="{{ url }}">Verify your address</a>' },
    'verify',
    'relative',
  ],
  [
    'a number to call is no link',
    { html: '<a href="tel:+4930123">Call</a> <a href="mailto:a@x.test">Write</a>' },
    undefined,
    'none',
  ],
  [
    'a script is no link',
    { html: '<a href="javascript:verify()">Verify</a> <a href="data:text/html,x">Verify</a>' },
    undefined,
    'none',
  ],
  [
    'a counted button beside its plain address is one link',
    {
      html: `<a href="${TRACKED}">Verify your email</a> <p>Or verify with <a href="https://x.test/verify?t=a1b2c3d4e5f6">https://x.test/verify?t=a1b2c3d4e5f6</a></p>`,
    },
    undefined,
    'https://x.test/verify?t=a1b2c3d4e5f6',
  ],
  [
    'also where one stands in the HTML and the other in the text',
    {
      html: `<a href="${TRACKED}">Verify your email</a>`,
      text: 'Verify your email: https://x.test/verify?t=a1b2c3d4e5f6',
    },
    'verify',
    'https://x.test/verify?t=a1b2c3d4e5f6',
  ],
  ['a counted link alone is taken', { html: `<a href="${TRACKED}">Verify your email</a>` }, 'verify', TRACKED],
])('%s', (_name, mail, filter, expected) => {
  expect(answer(mail, filter)).toBe(expected);
});

test.each([
  ['https://x.test/reset_password_complete?c=1', 'reset'],
  ['https://x.test/do_verify_email?c=1', 'verify'],
  ['https://x.test/signup_user_complete/?id=1', 'verify'],
  ['https://x.test/doResetPassword', 'reset'],
  ['https://x.test/user/confirmAccount', 'verify'],
  ['https://x.test/accept_team_invite', 'invite'],
  ['https://x.test/login_token/7', 'other'],
  ['https://x.test/posts/how-to-reset-your-password-today', 'other'],
  ['https://x.test/set_theme', 'other'],
])('the words in the path of %s mean that its kind is %s', (url, kind) => {
  expect(findLinks({ subject: null, text: url, html: null })).toMatchObject([{ kind }]);
});

test('a link below the signature is not the one to follow, unless all are there', () => {
  const footer = `<p>--</p>${a('/u/5f1c8a9d2e7b4c', 'Cancellazione')}`;
  expect(answer({ html: `${a('/questions/1', 'How do I sort?')}${footer}` })).toBe('https://acme.test/questions/1');
  expect(answer({ html: footer })).toBe('https://acme.test/u/5f1c8a9d2e7b4c');
});

test('letters right before a web address are no scheme of an app', () => {
  const found = findLinks(
    { subject: null, html: null, text: 'Here:\\nhttps://acme.test/a and git+https://acme.test/b' },
    'every',
  );
  expect(found.map(({ url, form }) => [url, form])).toEqual([
    ['https://acme.test/a', undefined],
    ['git+https://acme.test/b', 'app'],
  ]);
});

test('a link that declines is not the one to follow, even before the one that accepts', () => {
  const html = `${a('/d/5f1c8a9d2e7b4c', 'Refuser')}${a('/a/5f1c8a9d2e7b4d', "Accepter l'invitation")}`;
  expect(answer({ html })).toBe('https://acme.test/a/5f1c8a9d2e7b4d');
});
