import { describe, expect } from 'vitest';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const CONTENT = 'Subject: x\r\n\r\nbody';

describe('the session', () => {
  test('EHLO offers what the contract names', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.open(capture.port);
    const offered = (await wire.say('EHLO c.test')).split('\r\n').map((line) => line.slice(4));
    expect(offered).toEqual([
      'mailcap.example.com',
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      'AUTH PLAIN LOGIN',
      `SIZE ${25 * 1024 * 1024}`,
    ]);
    wire.close();
  });

  test('every reply after EHLO carries an enhanced status code that fits it', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    expect(await wire.sayAll('VRFY someone', 'NOOP', 'RSET', 'DATA', 'RCPT TO:<a@x.test>', 'MAIL FROM:nobody')).toEqual(
      [
        expect.stringMatching(/^252 2\.1\.5 /),
        expect.stringMatching(/^250 2\.0\.0 /),
        expect.stringMatching(/^250 2\.0\.0 /),
        expect.stringMatching(/^503 5\.5\.1 /),
        expect.stringMatching(/^503 5\.5\.1 /),
        expect.stringMatching(/^501 5\.1\.7 /),
      ],
    );
    wire.close();
  });

  test.for(['XCLIENT ADDR=1.2.3.4', 'XFORWARD ADDR=1.2.3.4', 'WIZ x', 'SHELL', 'KILL', 'BDAT 3'])(
    '%s is not offered',
    async (command, { start }) => {
      const capture = await start();
      const wire = await Wire.hello(capture.port);
      expect(await wire.say(command)).toMatch(/^500 5\.5\.2 /);
      wire.close();
    },
  );

  test('EXPN is known and refused with 502, RFC 5321 section 4.2.4', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 12; n++) expect(await wire.say('EXPN x')).toMatch(/^502 5\.5\.1 /);
    wire.close();
  });

  test('AUTH within a transaction is 503, RFC 4954 section 4, and the transaction goes on', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say(`AUTH PLAIN ${Buffer.from('\0u\0p').toString('base64')}`)).toMatch(/^503 5\.5\.1 /);
    expect(await wire.say('RCPT TO:<a@inbox.mailcap.example.com>')).toMatch(/^250 /);
    wire.close();
  });

  test('an unknown parameter is 555, other text is 501, and neither counts as an unrecognised command', async ({
    start,
  }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    expect(await wire.say('MAIL FROM:<a@x.test> XVERP=1')).toMatch(/^555 5\.5\.4 /);
    expect(await wire.say('MAIL FROM:<a@x.test> <b@x.test>')).toMatch(/^501 5\.1\.7 /);
    expect(await wire.say('MAIL FROM:<a@x.test> SIZE=10 BODY=8BITMIME')).toMatch(/^250 /);
    expect(await wire.say('RCPT TO:<a@inbox.mailcap.example.com> PRIORITY=1')).toMatch(/^555 5\.5\.4 /);
    expect(await wire.say('RCPT TO:<a@inbox.mailcap.example.com> <b@inbox.mailcap.example.com>')).toMatch(
      /^501 5\.1\.3 /,
    );
    expect(await wire.say('DATA')).toMatch(/^503 /);
    wire.close();
  });

  test('a name with spaces is accepted, because some computers have one', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.open(capture.port);
    expect(await wire.say("EHLO Ann's MacBook Pro")).toMatch(/^250-/);
    expect(await wire.say("HELO Ann's MacBook Pro")).toMatch(/^250 /);
    await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    const [message] = await capture.messages(capture.inbox);
    if (message === undefined) throw new Error('no message');
    expect((await capture.facts(message)).helo).toBe("Ann's MacBook Pro");
    expect(await wire.say('EHLO')).toMatch(/^501 /);
    wire.close();
  });

  test('the 250 after DATA carries the id of the message', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    const reply = await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    const [message] = await capture.messages(capture.inbox);
    expect(reply).toBe(`250 2.0.0 Ok: ${message?.id}`);
    wire.close();
  });
});

describe('the facts of a message', () => {
  test('have the envelope, HELO, client and dialogue', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    const [message] = await capture.messages(capture.inbox);
    if (message === undefined) throw new Error('no message');
    const facts = await capture.facts(message);
    expect(facts).toMatchObject({
      source: 'smtp',
      envelope: { mailFrom: 'sender@x.test', rcptTo: ['a@inbox.mailcap.example.com'] },
      helo: 'client.test',
      user: null,
      tls: null,
      clientAddress: '127.0.0.1',
      clientPort: wire.socket.localPort,
    });
    expect(facts.transcript[0]).toBe('S: 220 mailcap.example.com ESMTP mailcap');
    expect(facts.transcript.slice(-6)).toEqual([
      'C: MAIL FROM:<sender@x.test>',
      'S: 250 2.1.0 Accepted',
      'C: RCPT TO:<a@inbox.mailcap.example.com>',
      'S: 250 2.1.5 Accepted',
      'C: DATA',
      'S: 354 End data with <CR><LF>.<CR><LF>',
    ]);
    wire.close();
  });

  test('have the dialogue since the previous message', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    await wire.mail('b@inbox.mailcap.example.com', CONTENT);
    const [, second] = await capture.messages(capture.inbox);
    if (second === undefined) throw new Error('no message');
    const { transcript } = await capture.facts(second);
    expect(transcript).toHaveLength(6);
    expect(transcript[2]).toBe('C: RCPT TO:<b@inbox.mailcap.example.com>');
    wire.close();
  });

  test('never have a secret', async ({ start }) => {
    const capture = await start();
    const secret = Buffer.from('\0inbox\0hunter2').toString('base64');
    const dialogues = [
      [`AUTH PLAIN ${secret}`],
      ['AUTH PLAIN', secret],
      [`auth  plain  ${secret}`],
      ['AUTH LOGIN', Buffer.from('inbox').toString('base64'), Buffer.from('hunter2').toString('base64')],
      [`AUTH LOGIN ${Buffer.from('inbox').toString('base64')}`, Buffer.from('hunter2').toString('base64')],
      [`AUTH CRAM-MD5 ${secret}`],
      [` AUTH PLAIN ${secret}`],
      [`AUTH\tPLAIN\t${secret}`],
    ];
    for (const lines of dialogues) {
      const wire = await Wire.hello(capture.port);
      await wire.sayAll(...lines);
      await wire.mail('a@inbox.mailcap.example.com', CONTENT);
      wire.close();
    }
    const messages = await capture.messages(capture.inbox);
    expect(messages).toHaveLength(dialogues.length);
    for (const message of messages) {
      const said = (await capture.facts(message)).transcript.join('\n');
      expect(said).toMatch(/\*\*\*/);
      for (const word of [secret, 'hunter2', Buffer.from('hunter2').toString('base64')])
        expect(said).not.toContain(word);
    }
  });

  test('keep at most 100 lines and 8 KiB of dialogue', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 200; n++) await wire.say('NOOP');
    await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    await wire.sayAll(...Array.from({ length: 9 }, () => `NOOP ${'x'.repeat(1_000)}`));
    await wire.mail('a@inbox.mailcap.example.com', CONTENT);
    for (const message of await capture.messages(capture.inbox)) {
      const { transcript } = await capture.facts(message);
      expect(transcript.length).toBeGreaterThan(10);
      expect(transcript.length).toBeLessThanOrEqual(100);
      expect(transcript.join('').length).toBeLessThanOrEqual(8 * 1024);
    }
    wire.close();
  });
});
