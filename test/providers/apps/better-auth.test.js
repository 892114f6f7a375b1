import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { emailOTP, magicLink, phoneNumber } from 'better-auth/plugins';
import { expect, test } from 'mailcap/vitest';
import { Resend } from 'resend';
import twilio from 'twilio';
import { Visitor } from './visitor.js';

const ORIGIN = 'http://shop.example';

/** Creates a visitor of a shop that mails by Resend and texts by Twilio. */
function visitShop() {
  const resend = new Resend('re_any');
  const phones = twilio(`AC${'0'.repeat(32)}`, 'any-token');
  phones.api.baseUrl = `${process.env.MAILCAP_URL}/providers/twilio`;
  const send = async (to, subject, html) => {
    const { error } = await resend.emails.send({ from: 'Shop <accounts@shop.example>', to, subject, html });
    if (error) throw new Error(error.message);
  };
  const auth = betterAuth({
    baseURL: ORIGIN,
    secret: 'a secret of at least thirty-two characters',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    rateLimit: { enabled: false },
    plugins: [
      emailOTP({ sendVerificationOTP: ({ email, otp }) => send(email, 'Your code', `<p>Code: <b>${otp}</b></p>`) }),
      magicLink({ sendMagicLink: ({ email, url }) => send(email, 'Sign in', `<a href="${url}">Sign in to Shop</a>`) }),
      phoneNumber({
        sendOTP: ({ phoneNumber: to, code }) => phones.messages.create({ from: 'Shop', to, body: `Shop: ${code}` }),
        signUpOnVerification: { getTempEmail: (number) => `${number.slice(1)}@shop.example` },
      }),
    ],
  });
  const visitor = new Visitor(ORIGIN, auth.handler);
  const account = async () => (await (await visitor.request('/api/auth/get-session')).json())?.user ?? null;
  return { visitor, account };
}

test('the code of a mail by Resend signs in', async ({ mailbox }) => {
  const { visitor, account } = visitShop();
  const { address: email } = mailbox;
  await visitor.json('/api/auth/email-otp/send-verification-otp', { email, type: 'sign-in' });
  const otp = await mailbox.waitForCode({ from: 'accounts@shop.example' });
  expect(otp).toMatch(/^\d{6}$/);
  await visitor.json('/api/auth/sign-in/email-otp', { email, otp });
  expect(await account()).toMatchObject({ email, emailVerified: true });
});

test('the magic link of a mail by Resend signs in once', async ({ mailbox }) => {
  const { visitor, account } = visitShop();
  await visitor.json('/api/auth/sign-in/magic-link', { email: mailbox.address, callbackURL: '/account' });
  const link = await mailbox.waitForLink({ subject: 'Sign in' });
  expect(new URL(link).origin + new URL(link).pathname).toBe(`${ORIGIN}/api/auth/magic-link/verify`);
  expect((await visitor.request(link)).headers.get('location')).toMatch(/\/account$/);
  expect(await account()).toMatchObject({ email: mailbox.address });
  expect((await visitor.request(link)).headers.get('location')).toContain('error=');
});

test('the code of a text by Twilio signs in', async ({ createMailbox }) => {
  const { visitor, account } = visitShop();
  const phoneNumber = '+12025550143';
  const mailbox = await createMailbox({ phones: [phoneNumber] });
  await visitor.json('/api/auth/phone-number/send-otp', { phoneNumber });
  const code = await mailbox.waitForCode();
  expect(code).toMatch(/^\d{6}$/);
  await visitor.json('/api/auth/phone-number/verify', { phoneNumber, code });
  expect(await account()).toMatchObject({ phoneNumber, phoneNumberVerified: true });
});
