import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';
const CONTENT = 'Subject: x\r\n\r\nbody';
const OVER = Buffer.alloc(64 * 1024, 'x'.repeat(70).concat('\r\n'));

describe('a message over SIZE', () => {
  test('is refused with 552 5.3.4 at MAIL if SIZE announces it', async ({ start }) => {
    const capture = await start({ config: { smtpSize: 10_000 } });
    const wire = await Wire.hello(capture.port);
    expect(await wire.say('MAIL FROM:<a@x.test> SIZE=10001')).toMatch(/^552 5\.3\.4 /);
    expect(await wire.say('MAIL FROM:<a@x.test> SIZE=10000')).toMatch(/^250 /);
    wire.close();
  });

  test('is read to its end and refused with 552 5.3.4, and none of it is read as a command', async ({ start }) => {
    const capture = await start({ config: { smtpSize: 10_000 } });
    const wire = await Wire.hello(capture.port);
    const commands = Buffer.from('\r\nRSET\r\nMAIL FROM:<evil@x.test>\r\nQUIT\r\n'.repeat(100));
    expect(await wire.mail(TO, Buffer.concat([OVER, commands, OVER]))).toMatch(/^552 5\.3\.4 /);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
    wire.close();
  });

  test('has at least a byte more than the limit', async ({ start }) => {
    const capture = await start({ config: { smtpSize: 1_000 } });
    const wire = await Wire.hello(capture.port);
    // The CRLF before the final dot belongs to the message.
    expect(await wire.mail(TO, 'x'.repeat(998))).toMatch(/^250 /);
    expect(await wire.mail(TO, 'x'.repeat(999))).toMatch(/^552 5\.3\.4 /);
    // Dots that dot-stuffing added do not count.
    expect(await wire.mail(TO, '..\r\n'.repeat(332).concat('xx'))).toMatch(/^250 /);
    wire.close();
  });

  test('sent by 20 clients at once leaves the server well and every client usable', async ({ start }) => {
    const capture = await start({ config: { smtpSize: 256 * 1024 } });
    const big = Buffer.concat(Array(16).fill(OVER));
    const clients = await Promise.all(Array.from({ length: 20 }, () => Wire.hello(capture.port)));
    const replies = await Promise.all(clients.map((wire) => wire.mail(TO, big)));
    for (const reply of replies) expect(reply).toMatch(/^552 5\.3\.4 /);
    const again = await Promise.all(clients.map((wire) => wire.mail(TO, CONTENT)));
    for (const reply of again) expect(reply).toMatch(/^250 /);
    for (const wire of clients) wire.close();
  });
});

describe('caps', () => {
  test('1,000 recipients are taken, the next gets 452 4.5.3, and the mail still goes to the thousand', async ({
    start,
  }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.say('MAIL FROM:<a@x.test>');
    wire.write(Array.from({ length: 1_001 }, (_, n) => `RCPT TO:<u${n}@inbox.mailcap.example.com>\r\n`).join(''));
    for (let n = 0; n < 1_000; n++) expect(await wire.reply()).toMatch(/^250 /);
    expect(await wire.reply()).toMatch(/^452 4\.5\.3 /);
    await wire.say('DATA');
    expect(await wire.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
    const messages = await capture.messages(capture.inbox);
    expect(messages.map((message) => message.rcptTo.length)).toEqual([1_000]);
    wire.close();
  });

  test('a command line without end is cut off', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    wire.write('x'.repeat(64 * 1024));
    expect(await wire.ended()).toMatch(/^421 4\.\d\.\d /);
  });

  test('unrecognised commands end the connection', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 9; n++) expect(await wire.say('NONSENSE')).toMatch(/^500 5\.5\.2 /);
    expect(await wire.say('NONSENSE')).toMatch(/^421 /);
    await wire.ended();
  });

  test('a client that never signs in is not cut off, however many commands it sends', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 50; n++) expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });

  unless(test, ofOneServer('its connections'))(
    'connections over the cap get 421 and the others go on',
    async ({ start }) => {
      const capture = await start({ bounds: { connections: 2 } });
      const held = [await Wire.hello(capture.port), await Wire.hello(capture.port)];
      // These connections are busy, so only idle ones make room.
      for (const wire of held) await wire.say('MAIL FROM:<a@x.test>');
      const third = await Wire.open(capture.port, false);
      expect(await third.reply()).toMatch(/^421 /);
      await third.ended();
      for (const wire of held) {
        await wire.say('RSET');
        expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
        wire.close();
      }
    },
  );

  test('an idle connection is told 421 4.4.2 and closed', async ({ start }) => {
    const capture = await start({ bounds: { idleMs: 300 } });
    const wire = await Wire.hello(capture.port);
    expect(await wire.reply()).toMatch(/^421 4\.4\.2 /);
    await wire.ended();
  });
});

describe('mail without room', () => {
  test('past the daily cap is refused 452 4.2.2 at RCPT', async ({ start }) => {
    const capture = await start({ plans: { inboundPerMailboxPerDay: 2 } });
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 2; n++) expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say(`RCPT TO:<${TO}>`)).toMatch(/^452 4\.2\.2 /);
    wire.close();
  });

  test('past the daily cap is refused 452 4.2.2 after DATA where the cap was reached meanwhile', async ({ start }) => {
    const capture = await start({ plans: { inboundPerMailboxPerDay: 1 } });
    const [one, other] = [await Wire.hello(capture.port), await Wire.hello(capture.port)];
    await one.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    expect(await other.mail(TO, CONTENT)).toMatch(/^250 /);
    expect(await one.say('Subject: x\r\n\r\n.')).toMatch(/^452 4\.2\.2 /);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
    one.close();
    other.close();
  });

  test('past the storage is refused 452 4.3.1, at RCPT where SIZE told, else after DATA', async ({ start }) => {
    const capture = await start({ plans: { storageBytes: 2_000 } });
    const wire = await Wire.hello(capture.port);
    await wire.say('MAIL FROM:<a@x.test> SIZE=3000');
    expect(await wire.say(`RCPT TO:<${TO}>`)).toMatch(/^452 4\.3\.1 /);
    await wire.say('RSET');
    expect(await wire.mail(TO, 'x'.repeat(3_000))).toMatch(/^452 4\.3\.1 /);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });
});

test('a client that reads no reply is asked for no more commands once 16 KiB wait for it', async ({ start }) => {
  const accepted: Socket[] = [];
  const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket); // Node documents this shape
  subscribe('net.server.socket', note);
  onTestFinished(() => void unsubscribe('net.server.socket', note));
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  const [ours] = accepted;
  wire.socket.pause();
  const commands = 50_000;
  wire.write('EHLO a\r\n'.repeat(commands));
  // The kernel holds some megabytes of replies, then they stay with the server.
  const wait = { timeout: 80_000, interval: 20 };
  await vi.waitFor(() => expect(ours?.writableLength).toBeGreaterThanOrEqual(16 * 1024), wait);
  const beside = await Wire.hello(capture.port);
  for (let n = 0; n < 20; n++) await beside.mail(TO, CONTENT);
  beside.close();
  expect(ours?.writableLength).toBeLessThan(20 * 1024);
  wire.socket.resume();
  for (let n = 0; n < commands; n++) await wire.reply();
  expect(await wire.say('NOOP')).toMatch(/^250 /);
  wire.close();
});
