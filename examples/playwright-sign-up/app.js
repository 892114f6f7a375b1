// An app with accounts: sign-up with a code by mail, reset with a link by mail, sign-in with a second factor.
import { randomBytes, randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import nodemailer from 'nodemailer';
import { page } from './page.js';
import { isCodeOf, newSecret } from './second-factor.js';

const port = Number(process.env.PORT);
const BASE = `http://127.0.0.1:${port}`;
const transport = nodemailer.createTransport(process.env.SMTP_URL);
const accounts = new Map();
const codes = new Map();
const resets = new Map();

const mail = (to, subject, text, html) =>
  transport.sendMail({ from: 'Shop <shop@example.com>', to, subject, text, html });

const routes = {
  'GET /': () => page('Sign up', 'email password', '/sign-up'),
  'POST /sign-up': async ({ email, password }) => {
    const code = String(randomInt(100000, 1000000));
    codes.set(email, { code, password });
    await mail(
      email,
      'Your code',
      `Order 20261121. Your code is ${code}.`,
      `<p style="color:#112233">Your code is <b>${code}</b>.</p>`,
    );
    return page('Check your mail', `code email=${email}`, '/verify');
  },
  'POST /verify': ({ email, code }) => {
    const waiting = codes.get(email);
    if (waiting?.code !== code) return page('Wrong code', `code email=${email}`, '/verify');
    codes.delete(email);
    accounts.set(email, { password: waiting.password, secret: newSecret() });
    return page(`Welcome, ${email}`, '', '', `Secret: <output>${accounts.get(email).secret}</output>`);
  },
  'GET /forgot': () => page('Forgot your password?', 'email', '/forgot'),
  'POST /forgot': async ({ email }) => {
    const token = randomBytes(16).toString('hex');
    resets.set(token, email);
    const link = `${BASE}/reset?token=${token}&from=mail`;
    const html = `<p><a href="${link.replace('&', '&amp;')}">Reset password</a> <a href="${BASE}/unsubscribe">Unsubscribe</a></p>`;
    await mail(email, 'Reset your password', `Reset your password: ${link}`, html);
    return page('Check your mail');
  },
  'GET /reset': ({ token }) => page('A new password', `password token=${token}`, '/reset'),
  'POST /reset': ({ token, password }) => {
    accounts.get(resets.get(token)).password = password;
    resets.delete(token);
    return page('Password changed');
  },
  'GET /sign-in': () => page('Sign in', 'email password code', '/sign-in'),
  'POST /sign-in': ({ email, password, code }) => {
    const account = accounts.get(email);
    const isIn = account?.password === password && isCodeOf(account, code);
    return page(isIn ? `Signed in as ${email}` : 'That did not work');
  },
};

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, BASE);
  let body = '';
  for await (const chunk of request) body += chunk;
  const fields = request.method === 'POST' ? new URLSearchParams(body) : searchParams;
  const route = routes[`${request.method} ${pathname}`] ?? (() => page('Not found'));
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(await route(Object.fromEntries(fields)));
}).listen(port, '127.0.0.1');
