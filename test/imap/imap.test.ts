import { describe, expect } from 'vitest';
import { parseCommand } from '../../src/imap/grammar.ts';
import { type SearchBounds, SearchTooLarge, searchSelected } from '../../src/imap/search.ts';
import { SelectedMailbox } from '../../src/imap/selected.ts';
import { ListRoom } from '../../src/reading/list-room.ts';
import { put } from '../http/support.ts';
import { Wire } from '../reading/wire.ts';
import { startServer } from '../support/mailcap.ts';
import { Client, MULTIPART, portIn, putRaw, test } from './support.ts';

describe('a session', () => {
  test('begins with capabilities, ID, and a sign-in by LOGIN or PLAIN', async ({ start }) => {
    const { port, mailbox } = await start();
    const wire = await Wire.open(port);
    expect(await wire.line()).toBe(
      '* OK [CAPABILITY IMAP4rev1 LITERAL+ ID IDLE NAMESPACE UIDPLUS MOVE CHILDREN UNSELECT SASL-IR AUTH=PLAIN] mailcap',
    );
    wire.close();
    const client = await Client.connected(port);
    expect(await client.say('ID NIL')).toMatch(/^\* ID \("name" "mailcap" "version" "[^"]+"\)\r\nx OK /);
    expect(await client.say('ID ("name" "x" "os" NIL)')).toMatch(/^\* ID /);
    expect(await client.say('SELECT INBOX')).toBe('x BAD sign in first\r\n');
    expect(await client.say('LOGIN nobody-here x')).toBe(
      'x NO [AUTHENTICATIONFAILED] the mailbox or the password is wrong\r\n',
    );
    const plain = Buffer.from(`\0${mailbox.subdomain}\0any`).toString('base64');
    expect(await client.say(`AUTHENTICATE PLAIN ${plain}`)).toMatch(/^x OK \[CAPABILITY IMAP4rev1 /);
    expect(await client.say('LOGIN a b')).toBe('x BAD you are signed in already\r\n');
    expect(await client.say('FETCH 1 FLAGS')).toBe('x BAD select INBOX first\r\n');
    expect(await client.say('LOGOUT')).toMatch(/^\* BYE .*\r\nx OK/);
    await client.wire.ended();
    const other = await Client.connected(port);
    other.wire.write(`a AUTHENTICATE PLAIN\r\n`);
    expect(await other.wire.line()).toBe('+ ');
    expect(await other.wire.say(plain)).toMatch(/^a OK/);
    other.wire.close();
    const byLiteral = await Client.connected(port);
    byLiteral.wire.write(`a LOGIN {${mailbox.subdomain.length}}\r\n`);
    expect(await byLiteral.wire.line()).toBe('+ go on');
    expect(await byLiteral.wire.say(`${mailbox.subdomain} {3+}\r\nany`)).toMatch(/^a OK/);
    byLiteral.wire.close();
  });

  test('lists one folder, tells its status, and refuses others with a code', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, 'Subject: 1\r\n\r\n');
    const client = await Client.open(reached, false);
    expect(await client.ok('LIST "" "*"')).toBe('* LIST (\\HasNoChildren) "/" INBOX\r\n');
    expect(await client.ok('LIST "" %')).toBe('* LIST (\\HasNoChildren) "/" INBOX\r\n');
    expect(await client.ok('LIST "" inb%x')).toBe('* LIST (\\HasNoChildren) "/" INBOX\r\n');
    expect(await client.ok('LIST "" Sent')).toBe('');
    expect(await client.ok('LIST "" ""')).toBe('* LIST (\\Noselect) "/" ""\r\n');
    expect(await client.ok('LSUB "" *')).toBe('* LSUB (\\HasNoChildren) "/" INBOX\r\n');
    expect(await client.ok('NAMESPACE')).toBe('* NAMESPACE (("" "/")) NIL NIL\r\n');
    expect(await client.ok('STATUS inbox (MESSAGES UNSEEN UIDNEXT RECENT)')).toBe(
      '* STATUS INBOX (MESSAGES 1 UNSEEN 1 UIDNEXT 2 RECENT 1)\r\n',
    );
    for (const command of ['CREATE Sent', 'DELETE INBOX', 'RENAME INBOX x'])
      expect(await client.say(command)).toMatch(/^x NO \[CANNOT\]/);
    for (const command of ['SELECT Sent', 'STATUS Sent (UIDNEXT)', 'SUBSCRIBE "Sent"', 'EXAMINE {4+}\r\nSent'])
      expect(await client.say(command)).toMatch(/^x NO \[NONEXISTENT\]/);
    await client.ok('SUBSCRIBE INBOX');
    client.wire.close();
  });

  test('opens INBOX with its numbers, to read and write or to read alone', async ({ start }) => {
    const reached = await start();
    const ids = [await putRaw(reached, 'a: 1\r\n\r\n'), await putRaw(reached, 'a: 2\r\n\r\n')];
    const { server } = reached;
    await server.api(`/_mailcap/messages/${ids[0]}`, {
      method: 'PATCH',
      json: { read: true, addTags: ['shop', 'no atom'] },
    });
    const client = await Client.open(reached, false);
    const answer = await client.say('SELECT INBOX');
    expect(answer).toContain(
      '* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft shop)\r\n* 2 EXISTS\r\n* 1 RECENT\r\n',
    );
    expect(answer).toContain('[UNSEEN 2]');
    expect(answer).toContain('[PERMANENTFLAGS (\\Seen \\Flagged shop \\*)]');
    expect(answer).toContain('[UIDNEXT 3]');
    expect(answer).toMatch(/\[UIDVALIDITY [1-9]\d*\]/);
    expect(answer).toContain('x OK [READ-WRITE]');
    expect(await client.ok('FETCH 1:* (UID FLAGS)')).toBe(
      '* 1 FETCH (UID 1 FLAGS (\\Seen shop))\r\n* 2 FETCH (UID 2 FLAGS (\\Recent))\r\n',
    );
    await client.ok('UNSELECT');
    const examined = await client.say('EXAMINE INBOX');
    expect(examined).toContain('x OK [READ-ONLY]');
    expect(await client.ok('FETCH 2 BODY[]')).not.toContain('\\Seen');
    for (const command of ['STORE 1 FLAGS (\\Seen)', 'EXPUNGE', 'MOVE 1 INBOX'])
      expect(await client.say(command)).toMatch(/^x NO \[READ-ONLY\]/);
    client.wire.close();
  });
});

describe('STORE', () => {
  test('sets the marks that all clients share, and keeps the other flags for the session', async ({ start }) => {
    const reached = await start();
    const id = await putRaw(reached, 'a: 1\r\n\r\n');
    const { server } = reached;
    const marks = async () => {
      const { read, starred, tags } = (await (await server.api(`/_mailcap/messages/${id}`)).json()) as Record<
        string,
        unknown
      >;
      return { read, starred, tags };
    };
    await server.api(`/_mailcap/messages/${id}`, { method: 'PATCH', json: { addTags: ['no atom'] } });
    const client = await Client.open(reached);
    expect(await client.ok('STORE 1 +FLAGS (\\Seen \\Flagged shop $Forwarded \\Answered)')).toBe(
      '* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft $Forwarded shop)\r\n' +
        '* 1 FETCH (FLAGS (\\Seen \\Flagged $Forwarded \\Answered shop))\r\n',
    );
    expect(await marks()).toEqual({ read: true, starred: true, tags: ['no atom', 'shop'] });
    expect(await client.ok('UID STORE 1 -FLAGS.SILENT (\\Seen \\Answered)')).toBe('');
    expect(await client.ok('STORE 1 FLAGS next')).toMatch(
      /^\* FLAGS \(.* next\)\r\n\* 1 FETCH \(FLAGS \(\\Recent next\)\)\r\n$/,
    );
    expect(await marks()).toEqual({ read: false, starred: false, tags: ['next', 'no atom'] });
    expect(await client.say('STORE 1 FLAGS (\\Nothing)')).toBe('x BAD there is no flag \\Nothing\r\n');
    expect(await client.say(`STORE 1 FLAGS (${'k'.repeat(201)})`)).toBe('x BAD a flag has at most 200 characters\r\n');
    const many = Array.from({ length: 51 }, (_, at) => `$k${at}`);
    expect(await client.say(`STORE 1 +FLAGS.SILENT (${many.join(' ')})`)).toMatch(/^x NO \[LIMIT\]/);
    await server.api(`/_mailcap/messages/${id}`, { method: 'PATCH', json: { read: true } });
    expect(await client.ok('NOOP')).toBe('* 1 FETCH (UID 1 FLAGS (\\Seen next))\r\n');
    // A client has to know a keyword before a message has it (RFC 3501 7.2.6).
    const known = '* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft $Forwarded shop next other)\r\n';
    await server.api(`/_mailcap/messages/${id}`, { method: 'PATCH', json: { addTags: ['other'] } });
    expect(await client.ok('NOOP')).toBe(`${known}* 1 FETCH (UID 1 FLAGS (\\Seen next other))\r\n`);
    await server.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
    expect(await client.say('LOGOUT')).toBe('* BYE see you\r\nx OK done\r\n');
    client.wire.close();
  });

  test('of \\Deleted lets EXPUNGE and CLOSE remove messages, and lasts as long as the session', async ({ start }) => {
    const reached = await start();
    for (let at = 0; at < 5; at++) await putRaw(reached, `a: ${at}\r\n\r\n`);
    const first = await Client.open(reached);
    await first.ok('STORE 1,3,5 +FLAGS.SILENT (\\Deleted)');
    first.wire.close();
    const client = await Client.open(reached);
    const other = await Client.open(reached);
    expect(await client.ok('EXPUNGE')).toBe('');
    await client.ok('STORE 1,3,5 +FLAGS.SILENT (\\Deleted)');
    expect(await client.ok('UID EXPUNGE 5:9')).toBe('* 5 EXPUNGE\r\n');
    expect(await client.ok('EXPUNGE')).toBe('* 3 EXPUNGE\r\n* 1 EXPUNGE\r\n');
    // The other session keeps its numbers until it may be told.
    expect(await other.say('FETCH 1 ENVELOPE')).toBe('x NO [EXPUNGEISSUED] some messages are gone\r\n');
    expect(await other.ok('NOOP')).toBe('* 5 EXPUNGE\r\n* 3 EXPUNGE\r\n* 1 EXPUNGE\r\n');
    await other.ok('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await other.ok('CLOSE');
    expect(await client.ok('NOOP')).toBe('* 1 EXPUNGE\r\n');
    // A UID is never used again.
    await putRaw(reached, 'a: new\r\n\r\n');
    expect(await client.ok('NOOP')).toBe('* 2 EXISTS\r\n* 2 RECENT\r\n');
    expect(await client.ok('FETCH 1:* UID')).toBe('* 1 FETCH (UID 4)\r\n* 2 FETCH (UID 6)\r\n');
    client.wire.close();
    other.wire.close();
  });
});

describe('SEARCH', () => {
  test('finds by flags, numbers, rows, texts and headers', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, MULTIPART);
    await putRaw(reached, 'From: <shop (we sell)@ x.test>\r\nSubject: Ein Grüß\r\nX-Odd: findable\r\n\r\nsecond body');
    const third = await putRaw(reached, `Subject: large\r\nBcc: hidden@x.test\r\n\r\n${'x'.repeat(5_000)}`);
    await reached.server.api(`/_mailcap/messages/${third}`, {
      method: 'PATCH',
      json: { starred: true, addTags: ['Shop'] },
    });
    const client = await Client.open(reached);
    const year = new Date().getUTCFullYear();
    const cases: readonly [string, string][] = [
      ['ALL', ' 1 2 3'],
      ['UNSEEN FLAGGED', ' 3'],
      ['KEYWORD shop', ' 3'],
      ['UNKEYWORD shop', ' 1 2'],
      ['NEW', ' 1 2 3'],
      ['OLD', ''],
      ['2:*', ' 2 3'],
      ['UID 3', ' 3'],
      ['FROM "ADA@x"', ' 1'],
      ['FROM shop@x.test', ' 2'],
      ['TO carol', ' 1'],
      ['SUBJECT hello', ' 1'],
      ['CHARSET UTF-8 SUBJECT {6+}\r\nGr\xc3\xbc\xc3\x9f', ' 2'],
      ['BODY "second body"', ' 2'],
      ['BODY plain', ' 1'],
      ['TEXT x-odd', ' 2'],
      ['TEXT findable', ' 2'],
      ['HEADER X-Odd ""', ' 2'],
      ['HEADER Message-ID 1@x', ' 1'],
      ['BCC hidden', ' 3'],
      ['LARGER 4000', ' 3'],
      ['SMALLER 200', ' 2'],
      [`SINCE 1-Jan-${year}`, ' 1 2 3'],
      ['BEFORE 1-Jan-2020', ''],
      ['SENTON 3-Feb-2026', ' 1'],
      ['SENTBEFORE 4-Feb-2026 SENTSINCE 2-Feb-2026', ' 1'],
      ['OR FROM ada FROM shop', ' 1 2'],
      ['NOT (FROM ada) NOT FROM shop', ' 3'],
      ['(OR (1) (NOT ALL)) UNDELETED', ' 1'],
    ];
    for (const [key, found] of cases) expect(await client.ok(`SEARCH ${key}`), key).toBe(`* SEARCH${found}\r\n`);
    expect(await client.ok('UID SEARCH FROM shop')).toBe('* SEARCH 2\r\n');
    expect(await client.say('SEARCH CHARSET KOI8-R ALL')).toMatch(/^x NO \[BADCHARSET \(UTF-8 US-ASCII\)\]/);
    expect(await client.say(`SEARCH ${'NOT '.repeat(50)}ALL`)).toMatch(/^x BAD search keys may stand 20 deep/);
    expect(await client.say(`SEARCH ${'('.repeat(5_000)}`)).toMatch(/^x BAD /);
    expect(await client.say(`SEARCH ${'BODY x '.repeat(60)}ALL`)).toMatch(/^x BAD a search may look for 50 texts/);
    client.wire.close();
  });
});

test('SEARCH that would read too much is refused, and a range among its keys narrows it', async () => {
  await using server = await startServer({});
  const { ctx } = server;
  for (let nth = 0; nth < 25; nth++)
    await put(server, server.mailboxId, `Subject: ${nth}\r\n\r\n${nth % 5 === 0 ? 'needle' : 'hay'}`);
  const mailbox = await ctx.store.read.mailboxes.inbox();
  if (mailbox === null) throw new Error('the inbox is missing');
  const signal = { isCancelled: false, onCancel: () => () => {} };
  const selected = await SelectedMailbox.open(ctx, mailbox, true, signal, new ListRoom());
  const found = (keys: string, most?: SearchBounds) => {
    const command = parseCommand(`a SEARCH ${keys}`);
    if (command.name !== 'SEARCH') throw new Error('no search');
    return searchSelected(ctx, signal, selected, command.key, most);
  };
  const few = { mails: 10, headers: 10 };
  await expect(found('BODY needle', few)).rejects.toThrow(SearchTooLarge);
  await expect(found('OR BODY needle 1', few)).rejects.toThrow(SearchTooLarge);
  await expect(found('NOT SENTON 1-Jan-2020', few)).rejects.toThrow('the search would read 25 headers');
  expect(await found('BODY needle 4:12', few)).toEqual([5, 10]);
  expect(await found('BODY needle UID 20:*', few)).toEqual([20]);
  expect(await found('BODY needle')).toEqual([0, 5, 10, 15, 20]);
  selected.end();
});

describe('APPEND, COPY and MOVE', () => {
  test('put messages into INBOX, and tell their UIDs', async ({ start }) => {
    const reached = await start({ smtpSize: 1_024 });
    const client = await Client.open(reached);
    client.wire.write('a APPEND INBOX (\\Seen shop) "01-Jan-2026 00:00:00 +0000" {14}\r\n');
    expect(await client.wire.line()).toBe('+ go on');
    client.wire.write('Subject: x\r\n\r\n\r\n');
    expect(await client.answer('a')).toMatch(/^\* 1 EXISTS\r\n.*\r\na OK \[APPENDUID \d+ 1\] stored\r\n$/s);
    expect(await client.ok('FETCH 1 (FLAGS BODY.PEEK[])')).toBe(
      '* 1 FETCH (FLAGS (\\Seen shop) BODY[] {14}\r\nSubject: x\r\n\r\n)\r\n',
    );
    expect(await client.say('APPEND INBOX {4+}\r\nx: 1')).toMatch(/\[APPENDUID \d+ 2\]/);
    expect(await client.say('APPEND Sent {4+}\r\nx: 1')).toMatch(/^x NO \[NONEXISTENT\]/);
    expect(await client.say('APPEND INBOX (\\What) {4+}\r\nx: 1')).toMatch(/^x BAD there is no flag/);
    expect(await client.say(`APPEND INBOX {2000+}\r\n${'x'.repeat(2_000)}`)).toMatch(/^x NO \[TOOBIG\]/);
    expect(await client.say('APPEND INBOX {2000}')).toMatch(/^x NO \[TOOBIG\]/);
    expect(await client.say('APPEND INBOX {0+}\r\n')).toMatch(/^x NO \[CANNOT\]/);
    expect(await client.say('COPY 1 INBOX')).toMatch(/\* 3 EXISTS.*x OK \[COPYUID \d+ 1 3\] copied/s);
    expect(await client.ok('FETCH 3 (FLAGS RFC822.SIZE)')).toBe('* 3 FETCH (FLAGS (\\Seen shop) RFC822.SIZE 14)\r\n');
    expect(await client.say('UID MOVE 1:2 INBOX')).toMatch(
      /^\* OK \[COPYUID \d+ 1:2 4:5\] moved\r\n\* 2 EXPUNGE\r\n\* 1 EXPUNGE\r\n\* 3 EXISTS\r\n.*x OK/s,
    );
    expect(await client.say('MOVE 1 Trash')).toMatch(/^x NO \[NONEXISTENT\]/);
    client.wire.close();
  });

  test('take one message and a date that is one, and run no second message as commands', async ({ start }) => {
    const reached = await start();
    const client = await Client.open(reached);
    for (const date of [
      'yesterday',
      '31-Feb-2026 10:00:00 +0100',
      '01-Feb-2026 25:00:00 +0100',
      '01-Foo-2026 10:00:00 +0100',
    ])
      expect(await client.say(`APPEND INBOX "${date}" {1+}\r\nx`), date).toMatch(/^x BAD /);
    expect(await client.say('APPEND INBOX () " 3-Feb-2026 10:00:00 +0100" {1+}\r\nx')).toMatch(/x OK \[APPENDUID/);
    const second = 'y STORE 1 +FLAGS (\\Flagged)\r\n';
    client.wire.write(`z APPEND INBOX {1+}\r\nx {${second.length}+}\r\n${second}\r\n`);
    expect(await client.wire.ended()).toBe(
      '* BYE commands can not be told from what follows the message\r\nz BAD expected the end of the command: APPEND takes one message\r\n',
    );
    const other = await Client.open(reached);
    expect(await other.ok('FETCH 1:* FLAGS')).toBe('* 1 FETCH (FLAGS (\\Recent))\r\n');
    other.wire.close();
  });

  test('store nothing of a message whose client leaves within it', async ({ start }) => {
    const reached = await start();
    const client = await Client.open(reached);
    client.wire.write('a APPEND INBOX {1000+}\r\nhalf');
    client.wire.close();
    const other = await Client.open(reached);
    expect(await other.ok('STATUS INBOX (MESSAGES UIDNEXT)')).toBe('* STATUS INBOX (MESSAGES 0 UIDNEXT 1)\r\n');
    other.wire.close();
  });
});

describe('IDLE', () => {
  test('tells what comes, changes and goes, until DONE', async ({ start }) => {
    const reached = await start();
    const client = await Client.open(reached);
    const { wire } = client;
    expect(await wire.say('a IDLE')).toBe('+ idling');
    const id = await putRaw(reached, 'a: 1\r\n\r\n');
    expect(await wire.line()).toBe('* 1 EXISTS');
    expect(await wire.line()).toBe('* 1 RECENT');
    await reached.server.api(`/_mailcap/messages/${id}`, { method: 'PATCH', json: { starred: true } });
    expect(await wire.line()).toBe('* 1 FETCH (UID 1 FLAGS (\\Recent \\Flagged))');
    await reached.server.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
    expect(await wire.line()).toBe('* 1 EXPUNGE');
    expect(await wire.say('DONE')).toBe('a OK done');
    expect(await wire.say('b IDLE')).toBe('+ idling');
    expect(await wire.say('STOP')).toBe('b BAD expected DONE');
    expect(await wire.say('c IDLE')).toBe('+ idling');
    await reached.server.api(`/_mailcap/mailboxes/${reached.mailbox.id}`, { method: 'DELETE' });
    expect(await wire.ended()).toBe('* BYE the mailbox was deleted\r\n');
  });
});

describe('TLS', () => {
  test('begins with STARTTLS, drops what was sent before it, and has a port of its own', async ({ start }) => {
    const { server, port, mailbox } = await start({ starttls: 'on', imapsPort: 0 });
    const client = await Client.connected(port);
    expect(await client.say('CAPABILITY')).toContain('STARTTLS');
    client.wire.write(`a STARTTLS\r\nb LOGIN ${mailbox.subdomain} x\r\n`);
    expect(await client.wire.line()).toBe('a OK begin TLS');
    await client.wire.secure();
    expect(await client.say('SELECT INBOX')).toBe('x BAD sign in first\r\n');
    expect(await client.say('CAPABILITY')).not.toContain('STARTTLS');
    expect(await client.say('STARTTLS')).toBe('x BAD TLS is active already\r\n');
    client.wire.close();
    const { connect } = await import('node:tls');
    const socket = connect({ port: portIn(server.ready.imapsUrl), host: '127.0.0.1', rejectUnauthorized: false });
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toMatch(/^\* OK /);
    socket.destroy();
  });
});

describe('a hostile client', () => {
  test('gets BAD for lines and literals without end, and goes after twenty of them', async ({ start }) => {
    const reached = await start();
    const client = await Client.connected(reached.port);
    client.wire.write(`a LOGIN ${'x'.repeat(100_000)}\r\n`);
    expect(await client.wire.line()).toBe('a BAD the command is too long');
    // Thirty pairs of the largest size that RFC 2971 allows.
    const pairs = Array.from({ length: 30 }, (_, at) => `"${String(at).padEnd(30, 'n')}" "${'v'.repeat(1_024)}"`);
    expect(await client.say(`ID (${pairs.join(' ')})`)).toMatch(/x OK done/);
    expect(await client.say('LOGIN {1000000}')).toBe('x BAD the command is too long\r\n');
    expect(await client.say(`LOGIN {50000+}\r\n${'x'.repeat(50_000)} y`)).toBe('x BAD the command is too long\r\n');
    expect(await client.say('LOGIN {4294967295+}').catch(String)).toContain('the server ended');
    const other = await Client.open(reached);
    other.wire.write('a WHAT\r\n'.repeat(40));
    const said = await other.wire.ended();
    expect(said.match(/a BAD/g)).toHaveLength(20);
    expect(said).toMatch(/\* BYE too many wrong commands\r\n$/);
  });

  test('that sends 10,000 commands at once gets their answers in order', async ({ start }) => {
    const reached = await start();
    const client = await Client.open(reached);
    const tags = Array.from({ length: 10_000 }, (_, at) => `q${at}`);
    client.wire.write(tags.map((tag) => `${tag} NOOP\r\n`).join(''));
    const said = await client.answer('q9999');
    expect([...said.matchAll(/^(q\d+) OK/gm)].map(([, tag]) => tag)).toEqual(tags);
    client.wire.close();
  });

  test('that begins 10,000 commands and ends none holds nothing but its place', async ({ start }) => {
    const reached = await start();
    const client = await Client.connected(reached.port);
    client.wire.write('a LOGIN {1+}\r\n'.repeat(10_000));
    const other = await Client.open(reached);
    expect(await other.ok('NOOP')).toBe('');
    other.wire.close();
    client.wire.close();
  });

  test('writes no line of its own into an answer', async ({ start }) => {
    const reached = await start();
    const odd = 'Subject: a\r\n b\r\nFrom: "x\\"\ry" <a@b>\r\nContent-Type: text/plain; name="q\\"\\\\z"\r\n\r\nx';
    await putRaw(reached, odd);
    const client = await Client.open(reached);
    const answer = await client.say('FETCH 1 (ENVELOPE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS ({6+}\r\na\r\nb c)])');
    // What is no quoted text is a literal with its length.
    const withoutLiterals = answer.replace(/\{(\d+)\}\r\n/g, (_, length: string) => `<${length}>`);
    expect(withoutLiterals).toMatch(/x OK done\r\n$/);
    expect(answer).not.toMatch(/^b c/m);
    client.wire.close();
  });

  test('that is a browser of a foreign page is not answered', async ({ start }) => {
    const { port } = await start();
    const client = await Client.connected(port);
    client.wire.write('POST / HTTP/1.1\r\n\r\na LOGIN inbox x\r\na SELECT INBOX\r\n');
    expect(await client.wire.ended()).toBe('');
  });
});
