import { Auth } from '@auth/core';
import Mailgun from '@auth/core/providers/mailgun';
import Nodemailer from '@auth/core/providers/nodemailer';
import Postmark from '@auth/core/providers/postmark';
import Resend from '@auth/core/providers/resend';
import SendGrid from '@auth/core/providers/sendgrid';
import { expect, test } from 'mailcap/vitest';
import './to-mailcap.js';
import { Visitor } from './visitor.js';

const ORIGIN = 'http://shop.example';
const FROM = 'accounts@shop.example';

/** The adapter of Auth.js, in memory, as far as signing in by email asks it. */
function adapter() {
  const users = [];
  const sessions = [];
  const tokens = [];
  return {
    createUser: async (user) => users[users.push({ ...user, id: String(users.length) }) - 1],
    getUser: async (id) => users.find((one) => one.id === id) ?? null,
    getUserByEmail: async (email) => users.find((one) => one.email === email) ?? null,
    getUserByAccount: async () => null,
    updateUser: async (user) =>
      Object.assign(
        users.find(({ id }) => id === user.id),
        user,
      ),
    createSession: async (session) => sessions[sessions.push(session) - 1],
    getSessionAndUser: async (token) => {
      const session = sessions.find(({ sessionToken }) => sessionToken === token);
      return session ? { session, user: users.find(({ id }) => id === session.userId) } : null;
    },
    updateSession: async (session) => session,
    createVerificationToken: async (token) => tokens[tokens.push(token) - 1],
    useVerificationToken: async ({ identifier, token }) => {
      const at = tokens.findIndex((one) => one.identifier === identifier && one.token === token);
      return at === -1 ? null : tokens.splice(at, 1)[0];
    },
  };
}

const PROVIDERS = {
  resend: () => Resend({ apiKey: 're_any', from: FROM }),
  sendgrid: () => SendGrid({ apiKey: 'SG.any', from: FROM }),
  postmark: () => Postmark({ apiKey: 'any', from: FROM }),
  mailgun: () => Mailgun({ apiKey: 'any', from: FROM }),
  nodemailer: () => Nodemailer({ server: process.env.MAILCAP_SMTP_URL, from: FROM }),
};

test.for(Object.keys(PROVIDERS))('the link of a mail by %s signs in', async (name, { mailbox }) => {
  const config = {
    adapter: adapter(),
    basePath: '/auth',
    providers: [PROVIDERS[name]()],
    secret: 'a secret of at least thirty-two characters',
    trustHost: true,
  };
  const visitor = new Visitor(ORIGIN, (request) => Auth(request, config));
  const { csrfToken } = await (await visitor.request('/auth/csrf')).json();
  const body = new URLSearchParams({ csrfToken, email: mailbox.address, callbackUrl: '/' });
  const sent = await visitor.request(`/auth/signin/${name}`, { method: 'POST', body });
  expect(sent.headers.get('location')).toContain(`/auth/verify-request?provider=${name}`);

  const mail = await mailbox.waitForMessage({ from: FROM, subject: 'Sign in to shop.example' });
  expect(mail.text).toMatch(/^Sign in to shop\.example\nhttp:\/\/shop\.example\/auth\/callback\//);
  const link = mail.link().href;
  expect(new URL(link).pathname).toBe(`/auth/callback/${name}`);
  expect(new URL(link).searchParams.get('email')).toBe(mailbox.address);
  expect((await visitor.request(link)).headers.get('location')).toBe(`${ORIGIN}/`);
  const session = await (await visitor.request('/auth/session')).json();
  expect(session).toMatchObject({ user: { email: mailbox.address } });
});
