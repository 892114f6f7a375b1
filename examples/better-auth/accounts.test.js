import { expect, test } from 'mailcap/vitest';
import { afterAll, beforeAll } from 'vitest';
import { Visitor } from './browser.js';
import { startShop } from './server.js';

const PASSWORD = 'correct horse battery';

let shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

/** Signs up, and verifies the address with the link of the mail. */
async function signUp(visitor, mailbox) {
  await visitor.post('/sign-up/email', { name: 'Ada', email: mailbox.address, password: PASSWORD });
  await visitor.open(await mailbox.waitForLink({ subject: 'verify' }));
}

test('signs nobody in before the address is verified', async ({ mailbox }) => {
  const visitor = new Visitor(shop.url);
  const credentials = { email: mailbox.address, password: PASSWORD };
  await visitor.post('/sign-up/email', { name: 'Ada', ...credentials });
  await expect(visitor.post('/sign-in/email', credentials)).rejects.toThrow('Email not verified');
  await visitor.open(await mailbox.waitForLink({ subject: 'verify' }));
  expect(await visitor.account()).toBe(mailbox.address);
});

test('signs in with a magic link, which works once', async ({ mailbox }) => {
  const visitor = new Visitor(shop.url);
  await visitor.post('/sign-in/magic-link', { email: mailbox.address });
  const link = await mailbox.waitForLink({ subject: 'sign in' });
  await visitor.open(link);
  expect(await visitor.account()).toBe(mailbox.address);
  const another = new Visitor(shop.url);
  expect(await another.open(link)).toMatch(/error=/);
  expect(await another.account()).toBeNull();
});

test('signs in with a code', async ({ mailbox }) => {
  const visitor = new Visitor(shop.url);
  await visitor.post('/email-otp/send-verification-otp', { email: mailbox.address, type: 'sign-in' });
  const otp = await mailbox.waitForCode();
  await visitor.post('/sign-in/email-otp', { email: mailbox.address, otp });
  expect(await visitor.account()).toBe(mailbox.address);
});

test('resets a forgotten password', async ({ mailbox }) => {
  const visitor = new Visitor(shop.url);
  await signUp(visitor, mailbox);
  await visitor.post('/request-password-reset', { email: mailbox.address, redirectTo: `${shop.url}/new-password` });
  const page = new URL(await visitor.open(await mailbox.waitForLink({ subject: 'reset' })));
  await visitor.post('/reset-password', { newPassword: 'another one entirely', token: page.searchParams.get('token') });
  const back = new Visitor(shop.url);
  await expect(back.post('/sign-in/email', { email: mailbox.address, password: PASSWORD })).rejects.toThrow('Invalid');
  await back.post('/sign-in/email', { email: mailbox.address, password: 'another one entirely' });
  expect(await back.account()).toBe(mailbox.address);
});

test('asks for a second factor', async ({ mailbox, totp }) => {
  const visitor = new Visitor(shop.url);
  await signUp(visitor, mailbox);
  const { totpURI } = await visitor.post('/two-factor/enable', { password: PASSWORD });
  const authenticator = totp(totpURI);
  await visitor.post('/two-factor/verify-totp', { code: await authenticator.code() });

  const back = new Visitor(shop.url);
  await back.post('/sign-in/email', { email: mailbox.address, password: PASSWORD });
  expect(await back.account()).toBeNull();
  // better-auth takes a code again, so this need not wait for the next time step.
  await back.post('/two-factor/verify-totp', { code: await authenticator.code({ unique: 'none' }) });
  expect(await back.account()).toBe(mailbox.address);
});

test('says nothing to an address that has no account', async ({ mailbox }) => {
  const visitor = new Visitor(shop.url);
  await visitor.post('/request-password-reset', { email: mailbox.address });
  await mailbox.expectNoMessage({}, { for: 300 });
});
