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

test.each([
  [
    'a sign-in with a new password is about the password',
    'Change password',
    'Log in here to update your password:',
    'reset',
  ],
  [
    'a password completes a registration',
    'Your registration',
    'Thank you. To finish, set your password here:',
    'verify',
  ],
  [
    'an invitation in the line below a registration invites nobody',
    'Registration',
    'To register, go to:\n\nTHE LINK\n\nWithout your invitation, write to us.',
    'verify',
  ],
  ['a word that is whole in one language and a stem in another has both meanings', 'Sinu parool', 'Siin:', 'reset'],
  ['letters are composed', 'আপনার পাসওয়ার্ড পরিবর্তন করুন'.replaceAll('\u09af\u09bc', '\u09df'), 'Here:', 'reset'],
  ['joiners within words are passed over', 'Example', 'برای ادامه‌ی ثبت‌نام خود روی دکمه‌ی زیر کلیک کنید.', 'verify'],
])('the kind of a link: %s', (_what, subject, words, kind) => {
  const text = words.includes('THE LINK') ? words.replace('THE LINK', SECRET) : `${words}\n\n${SECRET}\n`;
  expect(findLinks({ subject, text, html: null })[0]?.kind).toBe(kind);
});

test('an address alone that invites does not outweigh a subject that verifies', () => {
  const url = 'https://shop.test/invitation/accept?id=7&key=QBItIN3vk3gEWXVZSWNPPcoMlsFKcKNh';
  const kindOf = (subject: string) =>
    findLinks({ subject, text: null, html: `<a href="${url}">Confirm</a> the change.` })[0]?.kind;
  expect(kindOf('Confirm your new email address')).toBe('verify');
  expect(kindOf('You are invited')).toBe('invite');
});

test('the words behind a link to settings tell that it stops mail', () => {
  const html = (words: string) => `<p>You can <a href="${SECRET}">change your settings</a> ${words}.</p>`;
  const kindOf = (words: string) => findLinks({ subject: null, text: null, html: html(words) })[0]?.kind;
  expect(kindOf('to stop receiving these emails')).toBe('unsubscribe');
  expect(kindOf('at any time')).toBe('other');
});

test.each([
  ['a word that runs into it', `${SECRET}يجب عليك تنشيط حسابك`, SECRET],
  ['a word that runs into it behind a bracket', `(${SECRET}будет действовать)`, SECRET],
  [
    'a path in another script',
    'https://shop.test/wiki/Привет ',
    'https://shop.test/wiki/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82',
  ],
])('an address in a text ends before %s', (_what, text, url) => {
  expect(findLinks({ subject: null, text: `See ${text}`, html: null })[0]?.url).toBe(url);
});

test('a button with a word that means code and password is what its mail is about', () => {
  const html = `<a href="${SECRET}">设置账户密码</a>`;
  expect(findLinks({ subject: '您已被邀请加入', text: null, html })[0]?.kind).toBe('invite');
});
