import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { beforeAll, expect, test, vi } from 'vitest';
import { portIn } from '../imap/support.ts';
import { Wire } from '../reading/wire.ts';
import { attacked, serveForAll } from './attacked.ts';

// Clients of IMAP and POP3 that mean harm. Meanwhile the server takes mail, answers HTTP, and serves another reader.

const served = serveForAll('--imap-port', '0', '--pop3-port', '0', '--starttls', 'on');

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

// Somebody between client and server adds commands before the handshake. Run behind it, they would be the client's.
test.each<[what: string, protocol: Protocol, begin: string, later: string]>([
  ['a sign-in in the same packet', 'imap', 'a STARTTLS\r\nb LOGIN inbox x\r\n', ''],
  ['a sign-in behind a pause', 'imap', 'a STARTTLS\r\n', 'b LOGIN inbox x\r\n'],
  ['half of a command', 'imap', 'a STARTTLS\r\nb LOGIN inbox x {8+}\r\n', ''],
  ['more commands than are read ahead', 'imap', `a STARTTLS\r\n${times(20_000, 'b LOGIN inbox x\r\n')}`, ''],
  ['a sign-in in the same packet', 'pop3', 'STLS\r\nUSER inbox\r\nPASS x\r\n', ''],
  ['a name in front', 'pop3', 'USER inbox\r\nSTLS\r\n', ''],
  ['half of a command', 'pop3', 'STLS\r\nUSER inbox\r\nPASS', ''],
])(
  'TLS of a client does not begin with %s, which somebody put before it (%s)',
  async (_what, protocol, begin, later) => {
    const { imapUrl, pop3Url } = served().ready;
    const wire = await Wire.greeted(portIn(protocol === 'imap' ? imapUrl : pop3Url));
    wire.write(begin);
    await wire.until((text) => text.indexOf('begin TLS\r\n') + 1 && text.indexOf('begin TLS\r\n') + 11);
    expect(wire.unread).toBe('');
    if (later !== '') wire.write(later);
    // Who got something else than a handshake is left, or the handshake begins with nothing before it.
    const isSecure = await wire.secure().then(
      () => true,
      () => false,
    );
    if (isSecure && protocol === 'imap') {
      expect(await wire.say('c SELECT INBOX')).toBe('c BAD sign in first');
      expect(await wire.say('d NOOP')).toBe('d OK done');
    } else if (isSecure) {
      expect(await wire.say('STAT')).toBe('-ERR sign in first');
      expect(await wire.say('PASS x')).toBe('-ERR USER comes before PASS');
    }
    expect(isSecure).toBe(later === '' && !begin.includes(times(100, 'b LOGIN inbox x\r\n')));
    wire.close();
  },
);

test('a name with line ends puts no line into an answer of IMAP', async () => {
  const wire = await Wire.greeted(portIn(served().ready.imapUrl));
  const name = 'INBOX\r\n* BYE owned\r\nz OK owned';
  const literal = `{${name.length}+}\r\n${name}`;
  const commands = [
    `LOGIN ${literal} x`,
    `LOGIN x ${literal}`,
    'LOGIN inbox x',
    `ID ("name" ${literal})`,
    ...['SELECT', 'EXAMINE', 'CREATE', 'DELETE', 'SUBSCRIBE', 'UNSUBSCRIBE'].map((verb) => `${verb} ${literal}`),
    `RENAME ${literal} ${literal}`,
    `STATUS ${literal} (MESSAGES)`,
    ...['LIST', 'LSUB'].flatMap((verb) => [`${verb} "" ${literal}`, `${verb} ${literal} *`]),
    `APPEND ${literal} {1+}\r\nx`,
    'SELECT INBOX',
    `COPY 1 ${literal}`,
    `MOVE 1 ${literal}`,
    `SEARCH CHARSET ${literal} ALL`,
    `SEARCH SUBJECT ${literal}`,
    `SEARCH HEADER ${literal} x`,
    `FETCH 1 BODY.PEEK[HEADER.FIELDS (${literal})]`,
  ];
  for (const [nth, command] of commands.entries()) {
    wire.write(`t${nth} ${command}\r\n`);
    const answer = await wire.until((text) => {
      const at = text.startsWith(`t${nth} `) ? 0 : text.indexOf(`\r\nt${nth} `);
      return at < 0 ? 0 : text.indexOf('\n', at + 2) + 1;
    });
    for (const line of answer.split('\r\n')) expect(line, command).not.toMatch(/^(?:\* BYE|z OK)/);
  }
  wire.close();
});

test('a name with line ends puts no line into an answer of POP3', async () => {
  const wire = await Wire.greeted(portIn(served().ready.pop3Url));
  for (const odd of ['inbox\r', 'inbox\r+OK owned', 'inbox\0', '\u2028+OK owned'])
    for (const verb of ['USER', 'RETR', 'TOP', 'AUTH', 'UIDL', 'OWNED'])
      expect(await wire.say(`${verb} ${odd}`), JSON.stringify(odd)).toMatch(/^(?:\+OK|-ERR (?!.*owned).*)$/);
  wire.close();
});
