import { createRequire } from 'node:module';
import nodemailer from 'nodemailer';

// Reads a mailbox with imapflow and node-pop3, and prints what they found.

const { modules, port, pop3Port, smtpPort, user, to } = JSON.parse(process.argv[2]);
const require = createRequire(`${modules}/`);
const { ImapFlow } = require('imapflow');
const Pop3Command = require('node-pop3');

const client = new ImapFlow({
  ...{ host: '127.0.0.1', port, secure: false, logger: false },
  ...{ tls: { rejectUnauthorized: false }, auth: { user, pass: 'x' } },
});
await client.connect();
const lock = await client.getMailboxLock('INBOX');
const found = { secure: client.secureConnection, list: (await client.list()).map(({ path }) => path) };
const messages = [];
for await (const message of client.fetch('1:*', { uid: true, envelope: true, bodyStructure: true, size: true }))
  messages.push(message);
found.envelopes = messages.map(({ uid, envelope }) => `${uid} ${envelope.subject}`);
found.types = messages.map(({ bodyStructure }) => bodyStructure.type);
found.search = [
  await client.search({ subject: 'two' }),
  await client.search({ seen: false }, { uid: true }),
  await client.search({ body: 'body of three' }),
  await client.search({ or: [{ subject: 'one' }, { subject: 'two' }] }),
];
const chunks = [];
for await (const chunk of (await client.download('1', '1')).content) chunks.push(chunk);
found.download = Buffer.concat(chunks).toString();
await client.messageFlagsAdd('1', ['\\Seen', '\\Flagged', 'shop']);
found.flags = [...(await client.fetchOne('1', { flags: true })).flags].sort();
found.appended = (await client.append('INBOX', 'Subject: appended\r\n\r\nx', ['\\Seen'])).uid;
await client.messageDelete('3');
found.left = await client.search({ all: true }, { uid: true });
lock.release();
const told = new Promise((resolve) => client.once('exists', ({ count }) => resolve(count)));
void client.idle();
await nodemailer
  .createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true })
  .sendMail({ from: 'a@x.test', to, subject: 'later', text: 'x' });
found.idle = await told;
await client.logout();

const pop3 = new Pop3Command({ host: '127.0.0.1', port: pop3Port, user, password: 'x' });
const uids = await pop3.UIDL();
found.pop3 = { uids: uids.length, top: (await pop3.TOP(1, 0)).includes('Subject: one') };
await pop3.QUIT();
process.stdout.write(JSON.stringify(found));
