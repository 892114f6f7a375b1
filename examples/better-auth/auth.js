// Accounts with better-auth: e-mail verification, magic link, one-time code, password reset, second factor.
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { emailOTP, magicLink, twoFactor } from 'better-auth/plugins';
import nodemailer from 'nodemailer';

/** Creates the accounts of one shop. `baseURL` is the address under which its server is reached. */
export function createAuth(baseURL) {
  const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
  const mail = (to, subject, text) => transport.sendMail({ from: 'Shop <accounts@shop.example>', to, subject, text });
  return betterAuth({
    baseURL,
    secret: 'a secret of at least thirty-two characters',
    appName: 'Shop',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [], twoFactor: [] }),
    // A test makes more requests in a minute than a person does.
    rateLimit: { enabled: false },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user, url }) => mail(user.email, 'Verify your address', `Verify it here: ${url}`),
    },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      sendResetPassword: ({ user, url }) => mail(user.email, 'Reset your password', `Choose a new one here: ${url}`),
    },
    plugins: [
      magicLink({ sendMagicLink: ({ email, url }) => mail(email, 'Sign in to Shop', `Sign in here: ${url}`) }),
      emailOTP({
        sendVerificationOTP: ({ email, otp }) => mail(email, 'Your sign-in code', `Your sign-in code is ${otp}.`),
      }),
      twoFactor({ issuer: 'Shop' }),
    ],
  });
}
