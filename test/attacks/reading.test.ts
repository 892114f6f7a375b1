import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { beforeAll, expect, test, vi } from 'vitest';
import { portIn } from '../imap/support.ts';
import { Wire } from '../reading/wire.ts';
import { attacked, serveForAll } from './attacked.ts';

// Clients of IMAP and POP3 that mean harm. Meanwhile the server takes mail, answers HTTP, and serves another reader.

const served = serveForAll('--imap-port', '0', '--pop3-port', '0');

/** The parts within one another in a mail that the clients fetch. */
const NESTED = 1_000;

function nestedMail(): string {
  const heads = Array.from(
    { length: NESTED },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  return `Subject: nested\r\n${heads.join('')}\r\nin the middle`;
}

beforeAll(async () => {
  const wire = await Wire.greeted(portIn(served().ready.imapUrl));
  await wire.say('a LOGIN inbox x');
  const mail = nestedMail();
  for (let at = 0; at < 20; at++) await wire.say(`b APPEND INBOX {${mail.length}+}\r\n${mail}`);
  wire.close();
});

type Protocol = 'imap' | 'pop3';

/** Opens a connection, says what begins it, and reads nothing more. */
async function open(protocol: Protocol, begin: string): Promise<Socket> {
  const { imapUrl, pop3Url } = served().ready;
  const socket = connect(portIn(protocol === 'imap' ? imapUrl : pop3Url), '127.0.0.1').on('error', () => {});
  socket.write(begin);
  await once(socket, 'readable');
  return socket;
}

async function deliver(subject: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: served().ready.smtpPort, ignoreTLS: true });
  const mail = { from: 'a@x.test', to: 'a@inbox.mailcap.example.com', subject, text: 'x' };
  await vi.waitFor(() => transport.sendMail(mail), { timeout: 20_000, interval: 100 });
}

const IMAP = 'a LOGIN inbox x\r\nb SELECT INBOX\r\n';
const POP3 = 'USER inbox\r\nPASS x\r\n';
const times = (count: number, text: string) => text.repeat(count);

test.each<[what: string, connections: number, protocol: Protocol, begin: string, then: string]>([
  ['IMAP connections that pipeline 10,000 commands each, unread', 40, 'imap', IMAP, times(10_000, 'c NOOP\r\n')],
  [
    'IMAP connections that fetch all structures 200 times each, unread',
    20,
    'imap',
    IMAP,
    times(200, 'c FETCH 1:* (ENVELOPE BODYSTRUCTURE)\r\n'),
  ],
  [
    'IMAP connections that fetch the innermost of 1,000 parts 100 times each',
    20,
    'imap',
    IMAP,
    times(100, `c FETCH 1:* BODY.PEEK[${times(NESTED - 1, '1.')}1]\r\n`),
  ],
  [
    'IMAP connections that name 10,000 ranges 50 times each',
    20,
    'imap',
    IMAP,
    times(50, `c UID FETCH ${times(10_000, '1:9,')}1 UID\r\n`),
  ],
  [
    'IMAP connections that search with 900 keys 50 times each',
    20,
    'imap',
    IMAP,
    times(50, `c SEARCH ${times(50, 'BODY nested ')}${times(400, 'NOT SEEN ')}\r\n`),
  ],
  [
    'IMAP connections that list 10,000 stars 50 times each',
    20,
    'imap',
    IMAP,
    times(50, `c LIST "" "${times(5_000, '*x')}"\r\n`),
  ],
  [
    'IMAP connections that append 1,000 mails each',
    20,
    'imap',
    IMAP,
    times(1_000, 'c APPEND INBOX {13+}\r\nSubject: x\r\n\r\n\r\n'),
  ],
  ['IMAP connections that begin 10,000 commands each and end none', 40, 'imap', '', times(10_000, 'c LOGIN {1+}\r\n')],
  ['IMAP connections that announce 4 GB', 100, 'imap', '', `c LOGIN {4294967295+}\r\n${times(1_000_000, 'x')}`],
  [
    'IMAP connections that announce 4 GB of a mail',
    40,
    'imap',
    IMAP,
    `c APPEND INBOX {4294967295+}\r\n${times(1_000_000, 'x')}`,
  ],
  ['IMAP connections that only idle', 2_000, 'imap', `${IMAP}c IDLE\r\n`, ''],
  ['IMAP connections with half of a command', 2_000, 'imap', '', 'a LOGIN inb'],
  ['POP3 connections that pipeline 5,000 RETR each, unread', 40, 'pop3', POP3, times(5_000, 'RETR 1\r\n')],
  ['POP3 connections that list 5,000 times each, unread', 40, 'pop3', POP3, times(5_000, 'UIDL\r\n')],
])('%s: nobody else waits', async (what, connections, protocol, begin, then) => {
  const sockets: Socket[] = [];
  try {
    while (sockets.length < connections)
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => open(protocol, begin)))));
    await attacked(served(), `${connections} ${what}`, async () => {
      for (const socket of sockets) if (then !== '') socket.write(then);
      await deliver(what);
      const wire = await Wire.greeted(portIn(served().ready.imapUrl));
      expect(await wire.say('a LOGIN inbox x')).toMatch(/^a OK/);
      expect(await wire.say('b STATUS INBOX (UIDVALIDITY)')).toMatch(/^\* STATUS INBOX/);
      wire.close();
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
