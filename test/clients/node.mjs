// Mail clients of Node: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
import { createRequire } from 'node:module';

const { HOST, PORT, TLS_PORT, MODULES } = process.env;
const require = createRequire(`${MODULES}/x.js`);
// That of the project itself.
const requireHere = createRequire(import.meta.url);
const url = `smtp://${HOST}:${PORT}`;
const at = { host: HOST, port: Number(PORT) };
const auth = { user: 'app', pass: 'secret' };

const mailOf = (name) => ({
  from: 'app@example.com',
  to: `${name}@inbox.mailcap.example.com`,
  subject: name,
  text: 'Hello.',
});

function byNodemailer(options, version = 'nodemailer') {
  return async (name) => {
    const library = version === 'nodemailer' ? requireHere(version) : require(version);
    const transport = library.createTransport(options);
    await transport.sendMail(mailOf(name));
    transport.close();
  };
}

function byEmailjs(options) {
  return async (name) => {
    const { SMTPClient } = await import(require.resolve('emailjs'));
    const client = new SMTPClient(options);
    await client.sendAsync(mailOf(name));
    client.smtp.close();
  };
}

const CONFIGURATIONS = {
  'nodemailer-host-port': byNodemailer(at),
  'nodemailer-secure-false': byNodemailer({ ...at, secure: false }),
  'nodemailer-auth': byNodemailer({ ...at, auth }),
  'nodemailer-pool': byNodemailer({ ...at, pool: true }),
  'nodemailer-url': byNodemailer(url),
  'nodemailer-url-auth': byNodemailer(`smtp://app:secret@${HOST}:${PORT}`),
  'nodemailer-ignoretls': byNodemailer({ ...at, ignoreTLS: true }),
  'nodemailer-requiretls': byNodemailer({ ...at, requireTLS: true }),
  'nodemailer-secure': byNodemailer({ ...at, port: Number(TLS_PORT), secure: true }),
  'nodemailer-7': byNodemailer(at, 'nodemailer7'),
  'nodemailer-6': byNodemailer(at, 'nodemailer6'),
  'emailjs-host-port': byEmailjs({ host: HOST, port: Number(PORT) }),
  'emailjs-auth': byEmailjs({ host: HOST, port: Number(PORT), user: 'app', password: 'secret' }),
  'emailjs-tls': byEmailjs({ host: HOST, port: Number(PORT), tls: true }),
  'email-templates': async (name) => {
    const Email = require('email-templates');
    const { to, from, ...message } = mailOf(name);
    const email = new Email({ send: true, preview: false, transport: at, message: { from } });
    await email.send({ message: { to, ...message } });
  },
};

for (const name of process.argv.slice(2)) {
  const late = new Promise((_, reject) => setTimeout(reject, 10_000, new Error('no answer in 10 s')));
  const told = await Promise.race([CONFIGURATIONS[name](name), late]).then(
    () => 'ok',
    (error) => `${error.message}`.split('\n')[0],
  );
  process.stdout.write(`${name}\t${told}\n`);
}
process.stdout.write('', () => process.exit(0));
