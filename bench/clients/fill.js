import { performance } from 'node:perf_hooks';
import { openSmtpSession } from './smtp-session.js';

// This program fills a store fast: each mail goes to many mailboxes, and each of them gets a message of its own. The
// mails hold no code, because the server would write a record when a code is read for the first time.

const { smtpPort, addresses, mails, sessions } = JSON.parse(process.argv[2]);
const startedAt = performance.now();
let sent = 0;
await Promise.all(
  Array.from({ length: sessions }, async () => {
    const session = await openSmtpSession(smtpPort);
    while (sent < mails) await session.send({ to: addresses, subject: `fill ${sent++}`, text: 'Hello.' });
    session.close();
  }),
);
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(JSON.stringify({ rate: (mails * addresses.length) / seconds }));
