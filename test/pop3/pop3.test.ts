import { execFile } from 'node:child_process';
import { connect as connectWithTls } from 'node:tls';
import { promisify } from 'node:util';
import { test as base, describe, expect, vi } from 'vitest';
import type { MailcapOptions } from '../../src/index.ts';
import { MailLines } from '../../src/pop3/mail-lines.ts';
import type { Log } from '../../src/ports/system.ts';
import { json, mail, put } from '../http/support.ts';
import { Wire } from '../reading/wire.ts';
import { impatientClock } from '../support/impatient-clock.ts';
import { startServer, type TestMailbox, type TestServer } from '../support/mailcap.ts';
import { blocksOf, readPage } from '../support/pages.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
  .extend('start', ({}, { onCleanup }) => {
    const servers: TestServer[] = [];
    onCleanup(async () => {
      for (const server of servers) await server.close();
    });
    return async (options: MailcapOptions = {}) => {
      const server = await startServer({ pop3Port: 0, ...options });
      servers.push(server);
      return { server, port: portOf(server), mailbox: await server.addMailbox() };
    };
  });

function portOf({ ready }: TestServer): number {
  return Number((ready.pop3Url ?? '').split(':').at(-1));
}

async function putRaw(server: TestServer, { id }: TestMailbox, raw: string): Promise<string> {
  return (await json<{ id: string }>(put(server, id, raw))).id;
}

async function signedIn(port: number, user: string, password = 'any'): Promise<Wire> {
  const wire = await Wire.greeted(port);
  expect(await wire.say(`USER ${user}`)).toBe('+OK');
  expect(await wire.say(`PASS ${password}`)).toMatch(/^\+OK /);
  return wire;
}

const PLAIN = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64');

describe('a mailbox', () => {
  test('is read with its sizes, its ids, its bytes and the first lines of a mail', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const raw = 'Subject: one\r\n\r\nfirst\r\n.\r\n..two\r\nlast';
    const id = await putRaw(server, mailbox, raw);
    const second = await putRaw(server, mailbox, 'Subject: two\r\n\r\nx\r\n');
    const wire = await signedIn(port, mailbox.subdomain);
    // The last line gets a line end.
    const size = raw.length + 2;
    expect(await wire.say('STAT')).toBe(`+OK 2 ${size + 19}`);
    expect(await wire.sayMany('LIST')).toBe(`+OK\r\n1 ${size}\r\n2 19\r\n`);
    expect(await wire.say('LIST 2')).toBe('+OK 2 19');
    expect(await wire.sayMany('UIDL')).toBe(`+OK\r\n1 ${id}\r\n2 ${second}\r\n`);
    expect(await wire.say('UIDL 1')).toBe(`+OK 1 ${id}`);
    expect(await wire.sayMany('RETR 1')).toBe(
      `+OK ${size} octets\r\nSubject: one\r\n\r\nfirst\r\n..\r\n...two\r\nlast\r\n`,
    );
    expect(await wire.sayMany('TOP 1 0')).toBe('+OK\r\nSubject: one\r\n\r\n');
    expect(await wire.sayMany('TOP 1 1')).toBe('+OK\r\nSubject: one\r\n\r\nfirst\r\n');
    expect(await wire.sayMany(`TOP 2 ${'9'.repeat(400)}`)).toBe('+OK\r\nSubject: two\r\n\r\nx\r\n');
    for (const wrong of ['RETR 3', 'RETR 0', 'RETR -1', 'RETR 1x', 'LIST 99999999999', 'TOP 1', 'TOP 1 x', 'DELE'])
      expect(await wire.say(wrong), wrong).toMatch(/^-ERR /);
    wire.close();
  });

  test('tells the sizes of what it sends, also of mails with bare line feeds, and reads each mail once', async ({
    start,
  }) => {
    const { server, port, mailbox } = await start();
    const body = '\n.dot\r\nline\n'.repeat(20_000);
    const raws = ['a: 1\n\nx\ny\n', 'a: 2\r\n\r\nx\r\n', `a: 3\n\n${body}end`];
    for (const raw of raws) await putRaw(server, mailbox, raw);
    const sizes = raws.map(
      (raw) => raw.replace(/\r?\n|[^\n]$/g, (end) => (end.endsWith('\n') ? '\r\n' : `${end}\r\n`)).length,
    );
    const read = vi.spyOn(server.ctx.store.blobs, 'readSmall');
    for (const numbers of [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3, 4],
    ]) {
      if (numbers.length > 3) {
        await putRaw(server, mailbox, 'a: 4\n\n');
        sizes.push(8);
      }
      const wire = await signedIn(port, mailbox.subdomain);
      const sum = sizes.reduce((all, size) => all + size);
      expect(await wire.say('STAT')).toBe(`+OK ${numbers.length} ${sum}`);
      expect(await wire.sayMany('LIST')).toBe(`+OK\r\n${numbers.map((n) => `${n} ${sizes[n - 1]}\r\n`).join('')}`);
      expect(await wire.say('LIST 1')).toBe(`+OK 1 ${sizes[0]}`);
      for (const n of numbers) {
        const answer = await wire.sayMany(`RETR ${n}`);
        const head = `+OK ${sizes[n - 1]} octets\r\n`;
        expect(answer.slice(0, head.length)).toBe(head);
        expect(answer.slice(head.length).replaceAll('\r\n..', '\r\n.').length).toBe(sizes[n - 1]);
      }
      await wire.say('DELE 1');
      expect(await wire.say('STAT')).toBe(`+OK ${numbers.length - 1} ${sum - (sizes[0] ?? 0)}`);
      wire.close();
    }
    // The large mail is streamed.
    expect(read.mock.calls.map(([refs]) => refs.length)).toEqual([2, 1]);
  });

  test('loses a deleted message with QUIT, and not before', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const [one, two] = [await putRaw(server, mailbox, 'a: 1\r\n\r\n'), await putRaw(server, mailbox, 'a: 2\r\n\r\n')];
    const first = await signedIn(port, mailbox.subdomain);
    expect(await first.say('DELE 1')).toMatch(/^\+OK/);
    expect(await first.say('RETR 1')).toMatch(/^-ERR/);
    expect(await first.say('STAT')).toBe('+OK 1 8');
    expect(await first.say('RSET')).toBe('+OK');
    expect(await first.say('STAT')).toBe('+OK 2 16');
    await first.say('DELE 2');
    first.close();
    const next = await signedIn(port, mailbox.id);
    expect(await next.say('STAT')).toBe('+OK 2 16');
    await next.say('DELE 1');
    expect(await next.say('QUIT')).toBe('+OK bye');
    await next.ended();
    expect((await server.api(`/_mailcap/messages/${one}`)).status).toBe(404);
    expect((await server.api(`/_mailcap/messages/${two}`)).status).toBe(200);
  });

  test('that loses a message meanwhile says so, and keeps the numbers of the others', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const id = await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    await putRaw(server, mailbox, 'a: 2\r\n\r\n');
    const wire = await signedIn(port, mailbox.subdomain);
    await server.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
    expect(await wire.say('RETR 1')).toBe('-ERR the message is gone');
    expect(await wire.sayMany('RETR 2')).toBe('+OK\r\na: 2\r\n\r\n');
    // A client of an emptied mailbox asks for each message, and is not sent away for it.
    for (let ask = 0; ask < 50; ask++) expect(await wire.say('RETR 1')).toBe('-ERR the message is gone');
    for (let ask = 0; ask < 50; ask++) expect(await wire.say('RETR 3')).toBe('-ERR no such message');
    expect(await wire.say('STAT')).toBe('+OK 2 16');
    wire.close();
  });

  test('ends the connection if a mail breaks off, so that no answer passes for a line of it', async ({ start }) => {
    const { server, port, mailbox } = await start();
    await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    async function* broken(): AsyncGenerator<Buffer, void, void> {
      yield Buffer.from('a: 1\r\n');
      throw new Error('the disk is gone');
    }
    vi.spyOn(server.ctx.store.blobs, 'stream').mockImplementation(broken);
    const wire = await signedIn(port, mailbox.subdomain);
    wire.write('RETR 1\r\nNOOP\r\n');
    expect(['', '+OK\r\n', '+OK\r\na: 1\r\n']).toContain(await wire.ended());
  });

  test('that is deleted during a session keeps its list, and its messages are gone', async ({ start }) => {
    const { server, port, mailbox } = await start();
    await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    const wire = await signedIn(port, mailbox.subdomain);
    expect(await wire.say('DELE 1')).toMatch(/^\+OK/);
    expect((await server.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await wire.say('RSET')).toBe('+OK');
    expect(await wire.say('RETR 1')).toBe('-ERR the message is gone');
    expect(await wire.say('DELE 1')).toMatch(/^\+OK/);
    expect(await wire.say('QUIT')).toBe('+OK bye');
  });

  test('shows what came during a session to the next one', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const wire = await signedIn(port, mailbox.subdomain);
    await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    expect(await wire.say('STAT')).toBe('+OK 0 0');
    expect(await wire.say('RETR 1')).toMatch(/^-ERR/);
    wire.close();
    expect(await (await signedIn(port, mailbox.subdomain)).say('STAT')).toBe('+OK 1 8');
  });
});

describe('a sign-in', () => {
  test('names a mailbox by subdomain, id, address or claimed address', async ({ start }) => {
    const { server, port, mailbox } = await start();
    await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    const claim = { method: 'PUT', json: ['ada@claimed.test'] };
    expect((await server.api(`/_mailcap/mailboxes/${mailbox.id}/addresses`, claim)).status).toBe(200);
    for (const user of [mailbox.subdomain, mailbox.id, mailbox.address('whoever'), 'ada@claimed.test']) {
      const wire = await signedIn(port, user);
      expect(await wire.say('STAT'), user).toBe('+OK 1 8');
      wire.close();
    }
    const wire = await Wire.greeted(port);
    await wire.say('USER nobody-here');
    expect(await wire.say('PASS any')).toBe('-ERR [AUTH] the mailbox or the password is wrong');
    expect(await wire.say('PASS any')).toBe('-ERR USER comes before PASS');
    expect(await wire.say('STAT')).toBe('-ERR sign in first');
    expect(await wire.say(`AUTH PLAIN ${PLAIN(mailbox.subdomain, 'any')}`)).toBe('+OK 1 messages');
    wire.close();
    const other = await Wire.greeted(port);
    expect(await other.say('AUTH PLAIN')).toBe('+ ');
    expect(await other.say('!')).toMatch(/^-ERR/);
    expect(await other.say('AUTH CRAM-MD5')).toBe('-ERR the mechanism is PLAIN');
    expect(await other.say('AUTH PLAIN')).toBe('+ ');
    expect(await other.say('*')).toMatch(/^-ERR/);
    expect(await other.say('APOP inbox c4c9334bac560ecc979e58001b3e22fb')).toMatch(/^-ERR/);
    const as = (user: string) => Buffer.from(`${user}\0${mailbox.subdomain}\0any`).toString('base64');
    // A client that wants to act for somebody else must not read its own mailbox instead.
    expect(await other.say(`AUTH PLAIN ${as('somebody-else')}`)).toMatch(/^-ERR/);
    expect(await other.say(`AUTH PLAIN ${as(mailbox.subdomain)}`)).toBe('+OK 1 messages');
    other.close();
  });

  test('off loopback needs a key that reads the mailbox, or the admin token', async ({ start }) => {
    const { server, port, mailbox } = await start({ host: '0.0.0.0' });
    const auth = { authorization: `Bearer ${server.ctx.runtime.adminToken}` };
    const other = await server.addMailbox();
    const limited = await json<{ id: string; key: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/keys`, {
        headers: auth,
        json: { name: 'x', scopes: { mailboxes: [other.id] } },
      }),
    );
    for (const password of ['any', '', limited.key]) {
      const wire = await Wire.greeted(port);
      await wire.say(`USER ${mailbox.subdomain}`);
      expect(await wire.say(`PASS ${password}`)).toMatch(/^-ERR \[AUTH\]/);
      wire.close();
    }
    for (const password of [server.apiKey, server.ctx.runtime.adminToken ?? ''])
      (await signedIn(port, mailbox.subdomain, password)).close();
    const wire = await signedIn(port, other.subdomain, limited.key);
    await server.api(`/_mailcap/keys/${limited.id}`, { method: 'DELETE', headers: auth });
    // A revoked key ends what it opened.
    await wire.ended();
  });

  test('that is guessed is answered ever later, and ends the connection', async ({ start }) => {
    const { server, port, mailbox } = await start({ host: '0.0.0.0', overrides: { clock: impatientClock() } });
    const wire = await Wire.greeted(port);
    const answers: string[] = [];
    const lines = Array.from({ length: 12 }, () => `USER ${mailbox.subdomain}\r\nPASS guess\r\n`);
    wire.write(lines.join(''));
    answers.push(await wire.ended());
    expect(answers.join('').match(/\[AUTH\]/g)).toHaveLength(10);
    expect(server.ctx.runtime.adminToken).not.toBe(null);
  });
});

describe('TLS', () => {
  test('begins with STLS, drops what was sent before it, and is offered as STARTTLS is', async ({ start }) => {
    const { port, mailbox } = await start({ starttls: 'on' });
    const wire = await Wire.greeted(port);
    expect(await wire.sayMany('CAPA')).toContain('STLS');
    wire.write(`STLS\r\nUSER ${mailbox.subdomain}\r\n`);
    expect(await wire.line()).toBe('+OK begin TLS');
    await wire.secure();
    expect(await wire.sayMany('CAPA')).not.toContain('STLS');
    expect(await wire.say('PASS any')).toBe('-ERR USER comes before PASS');
    expect(await wire.say('STLS')).toBe('-ERR TLS is active already');
    wire.close();
    const off = await start({ starttls: 'off' });
    const plain = await Wire.greeted(off.port);
    expect(await plain.sayMany('CAPA')).not.toContain('STLS');
    expect(await plain.say('STLS')).toBe('-ERR TLS is turned off');
    plain.close();
  });

  test('that never begins ends the connection, and is no error of the server', async ({ start }) => {
    const errors: unknown[] = [];
    const log: Log = { error: (...what) => errors.push(what), warn: () => {}, info: () => {}, debug: () => {} };
    const { port } = await start({ starttls: 'on', overrides: { log } });
    const wire = await Wire.greeted(port);
    expect(await wire.say('STLS')).toBe('+OK begin TLS');
    wire.write('USER inbox\r\n');
    await wire.ended();
    expect(errors).toEqual([]);
  });

  test('has a port of its own', async ({ start }) => {
    const { server } = await start({ pop3sPort: 0 });
    const port = Number((server.ready.pop3sUrl ?? '').split(':').at(-1));
    const socket = connectWithTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const [greeting] = await new Promise<[Buffer]>((resolve) =>
      socket.once('data', (chunk: Buffer) => resolve([chunk])),
    );
    expect(greeting.toString()).toBe('+OK mailcap\r\n');
    socket.destroy();
  });
});

describe('a client', () => {
  test('may send many commands at once, and close its half behind them', async ({ start }) => {
    const { server, port, mailbox } = await start();
    await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    const wire = await Wire.open(port);
    wire.write(`USER ${mailbox.subdomain}\nPASS x\nNOOP\nSTAT\n`);
    wire.endWriting();
    expect(await wire.ended()).toBe('+OK mailcap\r\n+OK\r\n+OK 1 messages\r\n+OK\r\n+OK 1 8\r\n');
  });

  test('is refused for a line without end, and goes after twenty wrong commands', async ({ start }) => {
    const { port } = await start();
    const wire = await Wire.greeted(port);
    expect(await wire.say('x'.repeat(200_000))).toBe('-ERR the line is too long');
    expect(await wire.say('constructor')).toBe('-ERR unknown command: CAPA lists them');
    wire.write('what\r\n'.repeat(30));
    expect(await wire.ended()).toMatch(/-ERR too many wrong commands\r\n$/);
  });

  test('that is a browser of a foreign page is not answered', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const id = await putRaw(server, mailbox, 'a: 1\r\n\r\n');
    const wire = await Wire.greeted(port);
    wire.write(`POST / HTTP/1.1\r\n\r\nUSER ${mailbox.subdomain}\r\nPASS x\r\nDELE 1\r\nQUIT\r\n`);
    expect(await wire.ended()).toBe('');
    expect((await server.api(`/_mailcap/messages/${id}`)).status).toBe(200);
  });

  test('is told when the server stops', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const wire = await signedIn(port, mailbox.subdomain);
    await server.close();
    expect(await wire.ended()).toBe('-ERR [SYS/TEMP] the server is shutting down\r\n');
  });
});

test('sign-ins are counted', async ({ start }) => {
  const { server, port, mailbox } = await start();
  (await signedIn(port, mailbox.subdomain)).close();
  const text = await (await server.api('/_mailcap/metrics')).text();
  expect(text).toContain('mailcap_mailbox_sign_ins_total{protocol="pop3",result="accepted"} 1');
});

describe('the lines of a mail', () => {
  const cases: readonly [raw: string, sent: string][] = [
    ['', '.\r\n'],
    ['a', 'a\r\n.\r\n'],
    ['.', '..\r\n.\r\n'],
    ['a\n.b\n', 'a\r\n..b\r\n.\r\n'],
    ['a\r.b\r\n', 'a\r.b\r\n.\r\n'],
  ];
  test.for(cases)('%j are sent as %j, however they are split', ([raw, sent]) => {
    for (const size of [1, 2, 100]) {
      const lines = new MailLines();
      let text = '';
      for (let at = 0; at < raw.length; at += size)
        text += lines.next(Buffer.from(raw.slice(at, at + size), 'latin1')).toString('latin1');
      expect(text + lines.end()).toBe(sent);
    }
  });
});

unless(describe, lacking('python3'))('poplib of Python', () => {
  test('reads and deletes', async ({ start }) => {
    const { server, port, mailbox } = await start();
    const raw = mail({ Subject: 'for Python' });
    const id = await putRaw(server, mailbox, raw);
    const page = blocksOf(readPage('docs/imap.md')).find(
      ({ language, mark: of }) => `${language} ${of}` === 'python pop3',
    );
    const script = (page?.text ?? '').replace('1110', String(port)).replace("'inbox'", `'${mailbox.address()}'`);
    const { stdout } = await promisify(execFile)('python3', ['-c', script]);
    expect(stdout).toContain("b'Subject: for Python'");
    const deleting = script.replace('print(box.retr(number)[1])', 'box.dele(number)');
    await promisify(execFile)('python3', ['-c', deleting]);
    expect((await server.api(`/_mailcap/messages/${id}`)).status).toBe(404);
  });
});
