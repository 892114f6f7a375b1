// An app that mails a code to a person who logs in, and sends the login to an audit log.
const { randomInt } = require('node:crypto');
const nodemailer = require('nodemailer');

const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);

exports.startLogin = async (email) => {
  const code = String(randomInt(100_000, 1_000_000));
  await transport.sendMail({
    from: 'App <app@example.com>',
    to: email,
    subject: 'Your code',
    text: `Your code is ${code}.`,
  });
  return { email, code };
};

exports.finishLogin = async (login, code, auditUrl) => {
  if (code !== login.code) return false;
  const body = JSON.stringify({ event: 'login', email: login.email });
  await fetch(`${auditUrl}/events`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
  return true;
};
