import { setImmediate } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { FetchMemory } from '../../src/imap/fetch.ts';
import { ImapSession } from '../../src/imap/session.ts';
import type { LineConnection } from '../../src/reading/line-connection.ts';
import { manualClock } from '../support/clock.ts';
import { Client, MULTIPART, putRaw, test } from './support.ts';

describe('FETCH', () => {
  test('gives envelope, structure, sections and parts of them', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, MULTIPART);
    const client = await Client.open(reached);
    const one = '* 1 FETCH (';
    expect(await client.ok('FETCH 1 (RFC822.SIZE ENVELOPE)')).toBe(
      `${one}RFC822.SIZE ${MULTIPART.length} ENVELOPE ("Tue, 3 Feb 2026 10:00:00 +0100" {11}\r\nHello "you" ` +
        '(("=?utf-8?q?Ad=C3=A1?=" NIL "ada" "x.test")) (("=?utf-8?q?Ad=C3=A1?=" NIL "ada" "x.test")) ' +
        '(("=?utf-8?q?Ad=C3=A1?=" NIL "ada" "x.test")) ' +
        '(("Bob" NIL "bob" "y.test")(NIL NIL "carol" "z.test")) NIL NIL NIL "<1@x.test>"))\r\n',
    );
    expect(await client.ok('FETCH 1 BODYSTRUCTURE')).toBe(
      `${one}BODYSTRUCTURE ((("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 5 0 NIL NIL NIL NIL)` +
        '("TEXT" "HTML" NIL NIL NIL "QUOTED-PRINTABLE" 11 0 NIL NIL NIL NIL) "ALTERNATIVE" ("BOUNDARY" "inner") NIL NIL NIL)' +
        '("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 49 (NIL "within" NIL NIL NIL NIL NIL NIL NIL NIL) ' +
        '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 0 NIL NIL NIL NIL) 3 NIL NIL NIL NIL)' +
        '("APPLICATION" "PDF" ("NAME" "a.pdf") NIL NIL "BASE64" 8 NIL ("attachment" ("FILENAME" "a.pdf")) NIL NIL) ' +
        '"MIXED" ("BOUNDARY" "b") NIL NIL NIL))\r\n',
    );
    const sections: readonly [string, string | null][] = [
      ['1.1', 'plain'],
      ['1.2', '<b>html</b>'],
      ['1.2.MIME', 'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'],
      ['2.1', 'deep'],
      ['2.TEXT', 'deep'],
      ['2.HEADER', 'Subject: within\r\nContent-Type: text/plain\r\n\r\n'],
      ['2.HEADER.FIELDS (SUBJECT)', 'Subject: within\r\n\r\n'],
      ['3', 'JVBERg=='],
      ['4', null],
      ['1.1.1', null],
      ['HEADER.FIELDS (DATE X)', 'Date: Tue, 3 Feb 2026 10:00:00 +0100\r\n\r\n'],
      ['TEXT', MULTIPART.slice(MULTIPART.indexOf('preamble'))],
      ['HEADER', MULTIPART.slice(0, MULTIPART.indexOf('preamble'))],
      ['', MULTIPART],
    ];
    for (const [name, text] of sections)
      expect(await client.ok(`FETCH 1 BODY.PEEK[${name}]`), name).toBe(
        `${one}BODY[${name}] ${text === null ? 'NIL' : `{${text.length}}\r\n${text}`})\r\n`,
      );
    expect(await client.ok('FETCH 1 BODY.PEEK[1.1]<1.3>')).toBe(`${one}BODY[1.1]<1> {3}\r\nlai)\r\n`);
    expect(await client.ok('FETCH 1 BODY.PEEK[1.1]<9.3>')).toBe(`${one}BODY[1.1]<9> {0}\r\n)\r\n`);
    expect(await client.ok('FETCH 1 FLAGS')).toBe(`${one}FLAGS (\\Recent))\r\n`);
    expect(await client.ok('FETCH 1 RFC822.TEXT')).toMatch(/^\* 1 FETCH \(FLAGS \(\\Seen\) RFC822\.TEXT \{/);
    expect(await client.ok('FETCH 1 FULL')).toMatch(/FLAGS \(\\Seen\) INTERNALDATE "[ \d]\d-\w{3}-\d{4} .* BODY \(/s);
    client.wire.close();
  });

  test('writes groups of addresses with their names, as RFC 3501 7.4.2 says', async ({ start }) => {
    const reached = await start();
    await putRaw(
      reached,
      'To: crew: a@x.test, Bo <b@y.test>;, c@z.test\r\nBcc: crew: a@x.test; (its end)\r\nCc: nobody: (really) ;\r\n\r\n',
    );
    const client = await Client.open(reached);
    expect(await client.ok('FETCH 1 ENVELOPE')).toBe(
      '* 1 FETCH (ENVELOPE (NIL NIL NIL NIL NIL ((NIL NIL "crew" NIL)(NIL NIL "a" "x.test")("Bo" NIL "b" "y.test")' +
        '(NIL NIL NIL NIL)(NIL NIL "c" "z.test")) ((NIL NIL "nobody" NIL)(NIL NIL NIL NIL)) ((NIL NIL "crew" NIL)(NIL NIL "a" "x.test")(NIL NIL NIL NIL)) NIL NIL))\r\n',
    );
    client.wire.close();
  });

  test('joins the pieces of a parameter, which clients do not', async ({ start }) => {
    const reached = await start();
    const given: readonly [header: string, structure: RegExp][] = [
      [
        "Content-Disposition: attachment; filename*1=a.pdf; filename*0*=utf-8''%E2%82%AC%20",
        /\("attachment" \("FILENAME\*" "utf-8''%E2%82%AC%20a\.pdf"\)\)/,
      ],
      [
        'Content-Disposition: attachment; size=1; filename*2="c d.pdf"; filename*0=a; filename*1=b',
        /\("SIZE" "1" "FILENAME" "abc d\.pdf"\)/,
      ],
      [
        "Content-Disposition: attachment; filename*0*=utf-8''a; filename*1=%; filename*2*=%20",
        /\("FILENAME\*" "utf-8''a%25%20"\)/,
      ],
      ['Content-Disposition: attachment; filename*0=a; filename*2=b', /\("FILENAME\*0" "a" "FILENAME\*2" "b"\)/],
      ['Content-Transfer-Encoding: quoted-printable; x', / "QUOTED-PRINTABLE" 1 /],
      ['Content-Transfer-Encoding: base64 (why)', / "BASE64" 1 /],
      ['Content-Transfer-Encoding:', / "7BIT" 1 /],
    ];
    for (const [header] of given) await putRaw(reached, `${header}\r\n\r\nx`);
    const client = await Client.open(reached);
    for (const [at, [header, structure]] of given.entries())
      expect(await client.ok(`FETCH ${at + 1} BODYSTRUCTURE`), header).toMatch(structure);
    client.wire.close();
  });

  test('reads a large mail in parts, its header alone, and many mails at once as they are', async ({ start }) => {
    const reached = await start();
    const large = `Subject: large\r\n\r\n${'0123456789abcdef'.repeat(20_000)}`;
    const mails = [...Array.from({ length: 450 }, (_, at) => `Subject: ${at}\r\n\r\n${'x'.repeat(at)}`), large];
    for (const mail of mails) await putRaw(reached, mail);
    const client = await Client.open(reached);
    const all = await client.ok('FETCH 1:* BODY.PEEK[]');
    expect(all).toBe(mails.map((mail, at) => `* ${at + 1} FETCH (BODY[] {${mail.length}}\r\n${mail})\r\n`).join(''));
    const subjects = await client.ok('FETCH 1:* BODY.PEEK[HEADER.FIELDS (SUBJECT)]');
    expect([...subjects.matchAll(/^Subject: (.*)\r$/gm)].map(([, subject]) => subject).join()).toBe(
      [...Array(450).keys(), 'large'].join(),
    );
    let read = '';
    for (let from = 0; from < large.length; from += 65_536) {
      const part = await client.ok(`FETCH 451 BODY.PEEK[]<${from}.65536>`);
      read += part.slice(part.indexOf('\n') + 1, -3);
    }
    expect(read).toBe(large);
    client.wire.close();
  });

  test('of a set takes each message once, in order, and refuses what is no set', async ({ start }) => {
    const reached = await start();
    for (let at = 0; at < 5; at++) await putRaw(reached, `a: ${at}\r\n\r\n`);
    const client = await Client.open(reached);
    const numbers = (text: string) => [...text.matchAll(/^\* (\d+) FETCH/gm)].map(([, number]) => Number(number));
    expect(numbers(await client.ok(`FETCH ${'1:*,'.repeat(5_000)}2 UID`))).toEqual([1, 2, 3, 4, 5]);
    expect(numbers(await client.ok('FETCH 4,*:2 UID'))).toEqual([2, 3, 4, 5]);
    expect(numbers(await client.ok('UID FETCH 4:99999,2 FLAGS'))).toEqual([2, 4, 5]);
    expect(numbers(await client.ok('UID FETCH 4294967295:* FLAGS'))).toEqual([5]);
    for (const set of ['6', '0', '1:', ',1', '4294967296', '1:6'])
      expect(await client.say(`FETCH ${set} UID`), set).toMatch(/^x BAD /);
    client.wire.close();
  });
});

test('an envelope that was told before is told again, until its message is gone', async ({ start }) => {
  const reached = await start();
  // The date stands behind more than is read of a mail for its header.
  const long = Array.from({ length: 200 }, (_, at) => `x-${at}: ${'v'.repeat(60)}\r\n`).join('');
  await putRaw(reached, `subject: one\r\n${long}date: today\r\n\r\nhi`);
  await putRaw(reached, 'subject: two\r\n\r\nhi');
  const client = await Client.open(reached);
  const other = await Client.open(reached);
  const rest = 'NIL NIL NIL NIL NIL NIL NIL NIL';
  const told = `* 1 FETCH (ENVELOPE ("today" "one" ${rest}))\r\n* 2 FETCH (ENVELOPE (NIL "two" ${rest}))\r\n`;
  expect(await client.ok('FETCH 1:2 ENVELOPE')).toBe(told);
  expect(await client.ok('FETCH 1:2 ENVELOPE')).toBe(told);
  expect(await other.ok('FETCH 1:2 (ENVELOPE)')).toBe(told);
  expect(await other.ok('FETCH 2 (ENVELOPE BODY.PEEK[HEADER.FIELDS (SUBJECT)])')).toBe(
    `* 2 FETCH (ENVELOPE (NIL "two" ${rest}) BODY[HEADER.FIELDS (SUBJECT)] {16}\r\nsubject: two\r\n\r\n)\r\n`,
  );
  await client.ok('STORE 1 +FLAGS.SILENT (\\Deleted)');
  await client.ok('EXPUNGE');
  await expect.poll(() => other.say('FETCH 1 ENVELOPE')).toBe('x NO [EXPUNGEISSUED] some messages are gone\r\n');
  client.wire.close();
  other.wire.close();
});

test('FETCH reads no more mails for a client that is gone', async ({ start }) => {
  const reached = await start();
  const mails = 12;
  const serve = vi.spyOn(ImapSession.prototype, 'serve');
  const body = 'x'.repeat(1024 * 1024);
  for (let nth = 1; nth <= mails; nth++) await putRaw(reached, `Subject: ${nth}\r\n\r\n${body}`);
  const client = await Client.open(reached);
  const read = vi.spyOn(reached.server.ctx.store.blobs, 'read');
  // The bytes of two mails are left unread, so that the connection ends with a reset.
  client.wire.pause();
  client.wire.write(`x FETCH 1:${mails} BODY.PEEK[]\r\n`);
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(1);
  client.wire.close();
  await Promise.allSettled(serve.mock.results.map(({ value }) => value));
  expect(read.mock.calls.length).toBeLessThan(mails);
});

test('FETCH of envelopes reads the begin of each small mail, and neither rows nor whole mails', async ({ start }) => {
  const reached = await start();
  const body = 'x'.repeat(20_000);
  for (let nth = 1; nth <= 3; nth++) await putRaw(reached, `Subject: ${nth}\r\n\r\n${body}`);
  const client = await Client.open(reached);
  const { blobs, read } = reached.server.ctx.store;
  const small = vi.spyOn(blobs, 'readSmall');
  const others = [vi.spyOn(blobs, 'read'), vi.spyOn(blobs, 'stream'), vi.spyOn(read.messages, 'many')];
  const told = await client.ok('FETCH 1:* (UID ENVELOPE)');
  expect(told).toContain('* 3 FETCH (UID 3 ENVELOPE (NIL "3" NIL NIL NIL NIL NIL NIL NIL NIL))\r\n');
  for (const spy of others) expect(spy).not.toHaveBeenCalled();
  expect(small.mock.calls.map(([refs, enough]) => [refs.length, enough])).toEqual([[3, 8_192]]);
});

test('FETCH of many sections of small mails lets others have their turn', async ({ start }) => {
  const reached = await start();
  for (let nth = 1; nth <= 20; nth++) await putRaw(reached, `Subject: ${nth}\r\n\r\n${'x'.repeat(200)}`);
  const client = await Client.open(reached);
  const turn = vi.spyOn(FetchMemory.prototype, 'turn');
  const fields = Array.from({ length: 900 }, (_, at) => `BODY.PEEK[HEADER.FIELDS (X${at})]`);
  await client.ok(`FETCH 1:* (${fields.join(' ')})`);
  expect(turn.mock.calls.length).toBeGreaterThan(20);
  client.wire.close();
});

describe('the room for large mails that clients read', () => {
  const MIB = 1024 * 1024;

  function deferred(): [done: Promise<void>, resolve: () => void] {
    let resolve = () => {};
    const done = new Promise<void>((settle) => {
      resolve = settle;
    });
    return [done, resolve];
  }

  /** A client that reads, until it is told to read nothing. */
  function reader() {
    const [gone, cut] = deferred();
    const one = { idleMs: 0, isCancelled: false, cut };
    return { one, connection: one as unknown as LineConnection, gone };
  }

  test('is for as many as fit, and one that reads nothing for ten seconds loses its connection to one that waits', async () => {
    const clock = manualClock();
    const memory = new FetchMemory();
    const [slow, stalled, waiting] = [reader(), reader(), reader()];
    const send = vi.fn(async () => {});
    const [read, endReading] = deferred();
    const first = memory.withRoomToSend(clock, slow.connection, 128 * MIB, () => read);
    const second = memory.withRoomToSend(clock, stalled.connection, 128 * MIB, () => stalled.gone);
    const third = memory.withRoomToSend(clock, waiting.connection, MIB, send);
    stalled.one.idleMs = 9_000;
    clock.pass(1_000);
    await setImmediate();
    expect(send).not.toHaveBeenCalled();
    stalled.one.idleMs = 11_000;
    clock.pass(1_000);
    await Promise.all([second, third]);
    expect(send).toHaveBeenCalledOnce();
    endReading();
    await first;
  });

  test('is given back, also for a mail that is larger than all of it, and a client that is gone asks for none', async () => {
    const clock = manualClock();
    const memory = new FetchMemory();
    const [large, gone] = [reader(), reader()];
    const [read, endReading] = deferred();
    const first = memory.withRoomToSend(clock, large.connection, 400 * MIB, () => read);
    const send = vi.fn(async () => {});
    const second = memory.withRoomToSend(clock, gone.connection, MIB, send);
    gone.one.isCancelled = true;
    endReading();
    await Promise.all([first, second]);
    expect(send).not.toHaveBeenCalled();
    await memory.withRoomToSend(clock, reader().connection, 400 * MIB, send);
    expect(send).toHaveBeenCalledOnce();
  });
});
