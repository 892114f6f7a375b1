import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { createSmtpServer } from '../../src/smtp/server.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { startCapture } from './capture.ts';
import { eventually, test } from './fixtures.ts';
import { gate, steeredStore } from './steered-store.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';
const CONTENT = 'Subject: x\r\n\r\nbody';

describe('the greeting', () => {
  test('comes at once: half of fifty connections get it within half a second', async ({ start }) => {
    const capture = await start();
    const times: number[] = [];
    for (let n = 0; n < 50; n++) {
      const opened = performance.now();
      const wire = await Wire.open(capture.port);
      times.push(performance.now() - opened);
      wire.close();
    }
    expect(times.sort((a, b) => a - b)[25]).toBeLessThan(500);
  });

  test.for([0, 1, 2, 3, 4])(
    'comes before the replies to a client that does not wait for it, try %i',
    async (_try, { start }) => {
      const capture = await start();
      const socket = connect({ port: capture.port, host: '127.0.0.1', allowHalfOpen: true });
      const said = ['EHLO early.test', 'MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA', CONTENT, '.', 'QUIT', ''];
      // The commands are written before the connection is established, so they arrive together with it.
      socket.end(said.join('\r\n'));
      const heard: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => heard.push(chunk));
      await new Promise((resolve) => socket.on('close', resolve));
      const codes = Buffer.concat(heard)
        .toString()
        .match(/^\d{3} /gm);
      expect(codes).toEqual(['220 ', '250 ', '250 ', '250 ', '354 ', '250 ', '221 ']);
    },
  );
});

describe('a client that closes its half of the connection', () => {
  const DIALOGUE = ['EHLO half.test', 'MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA'];

  test.for([
    ['behind QUIT', '\r\n.\r\nQUIT\r\n', /^250 [\s\S]*\r\n221 [\s\S]*\r\n$/],
    ['behind the end of data', '\r\n.\r\n', /^250 [\s\S]*\r\n$/],
  ] as const)('%s still gets its replies', async ([, end, replies], { start }) => {
    const capture = await start();
    const wire = await Wire.open(capture.port);
    await wire.sayAll(...DIALOGUE);
    wire.socket.end(`${CONTENT}${end}`);
    expect(await wire.ended()).toMatch(replies);
  });

  test('behind all of its commands at once still gets its replies', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.open(capture.port);
    wire.socket.end(`${DIALOGUE.join('\r\n')}\r\n${CONTENT}\r\n.\r\n`);
    expect(await wire.ended()).toMatch(/\r\n354 [\s\S]*\r\n250 [\s\S]*\r\n$/);
  });

  test('in the middle of a message, or before a command, ends the connection', async ({ start }) => {
    const capture = await start();
    for (const lines of [DIALOGUE, DIALOGUE.slice(0, 1), []]) {
      const wire = await Wire.open(capture.port);
      await wire.sayAll(...lines);
      wire.socket.end('half a li');
      expect(await wire.ended()).toMatch(/^(?:500 .*\r\n)?$/);
    }
    await eventually(() => expect(capture.server.connections).toBe(0));
  });
});

unless(test, ofOneServer('its connections'))(
  '300 silent connections delay nobody, and close does not wait for them',
  async () => {
    const capture = await startCapture();
    const silent = await Promise.all(Array.from({ length: 300 }, (_, n) => Wire.open(capture.port, n % 2 === 0)));
    await eventually(() => expect(capture.server.connections).toBe(300));
    const started = performance.now();
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    expect(performance.now() - started).toBeLessThan(30_000);
    const closing = performance.now();
    await capture.close(60_000);
    expect(performance.now() - closing).toBeLessThan(30_000);
    const last = await Promise.all([wire, ...silent].map((client) => client.ended()));
    for (const said of last) expect(said).toMatch(/421 4\.3\.2 /);
  },
);

describe('close', () => {
  test('accepts no more connections and sends 421 4.3.2 to the idle ones', async () => {
    const capture = await startCapture();
    const wire = await Wire.hello(capture.port);
    await capture.close(10_000);
    expect(await wire.reply()).toMatch(/^421 4\.3\.2 /);
    await wire.ended();
    await expect(Wire.open(capture.port)).rejects.toThrow('ECONNREFUSED');
    expect(capture.server.connections).toBe(0);
  });

  test('lets a transaction in DATA finish, answers it, then ends the connection', async () => {
    const capture = await startCapture();
    const wire = await Wire.hello(capture.port);
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    wire.write('Subject: x\r\n\r\nfirst half');
    const closed = capture.close(10_000);
    await expect(Wire.open(capture.port)).rejects.toThrow('ECONNREFUSED');
    expect(await wire.say('second half\r\n.')).toMatch(/^250 /);
    expect(await wire.reply()).toMatch(/^421 4\.3\.2 /);
    await closed;
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
  });

  test('lets a client between RCPT and DATA finish as well, but not begin another mail', async () => {
    const capture = await startCapture();
    const wire = await Wire.hello(capture.port);
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`);
    const closed = capture.close(10_000);
    expect(await wire.say('DATA')).toMatch(/^354 /);
    wire.write('Subject: x\r\n\r\n.\r\nMAIL FROM:<a@x.test>\r\n');
    expect(await wire.reply()).toMatch(/^250 /);
    expect(await wire.reply()).toMatch(/^421 4\.3\.2 /);
    await closed;
  });

  test('waits for a message that is being stored', async () => {
    const steered = steeredStore();
    const capture = await startCapture({ store: steered.store });
    const wire = await Wire.hello(capture.port);
    const held = gate();
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    steered.before = { transaction: held.passed };
    wire.write(`${CONTENT}\r\n.\r\n`);
    await held.waiting;
    const closed = capture.close(10_000);
    held.open();
    expect(await wire.reply()).toMatch(/^250 /);
    await closed;
  });

  test('ends a session that does not finish in time', async () => {
    const capture = await startCapture();
    const wire = await Wire.hello(capture.port);
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    wire.write('Subject: x\r\n\r\nnever ends');
    const closing = performance.now();
    await capture.close(100);
    expect(performance.now() - closing).toBeLessThan(30_000);
    await wire.ended();
    expect(await capture.messages(capture.inbox)).toEqual([]);
  });

  test('does not wait for a client that stays after its 221', async () => {
    const capture = await startCapture();
    const socket = connect({ port: capture.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    let heard = '';
    socket.on('data', (chunk: Buffer) => {
      heard += chunk;
    });
    await eventually(() => expect(heard).toMatch(/^220 /));
    socket.write('QUIT\r\n');
    await eventually(() => expect(heard).toMatch(/221 /));
    const closing = performance.now();
    await capture.close(60_000);
    expect(performance.now() - closing).toBeLessThan(30_000);
    socket.destroy();
  });
});

test('a socket that is reset at any point ends only its own connection', async ({ start }) => {
  const capture = await start();
  const stages = [
    [],
    ['EHLO c.test'],
    ['EHLO c.test', 'AUTH LOGIN'],
    ['EHLO c.test', 'MAIL FROM:<a@x.test>'],
    ['EHLO c.test', 'MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA', 'half a'],
    ['EHLO c.test', 'STARTTLS'],
  ];
  for (const lines of stages) {
    const wire = await Wire.open(capture.port);
    for (const line of lines) {
      if (line.startsWith('half')) wire.write(line);
      else await wire.say(line);
    }
    wire.write(Buffer.alloc(lines.length * 10, 'NOOP\r\n'));
    wire.socket.resetAndDestroy();
  }
  // This connection ends while the server still creates its certificate.
  const fresh = await start();
  const leaver = await Wire.hello(fresh.port);
  await new Promise((resolve) => leaver.socket.write('STARTTLS\r\n', resolve));
  leaver.socket.resetAndDestroy();
  for (const { port, server } of [capture, fresh]) {
    await eventually(() => expect(server.connections).toBe(0));
    const wire = await Wire.hello(port);
    await wire.startTls();
    await wire.say('EHLO c.test');
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  }
});

test('a port in use is refused with EADDRINUSE', async ({ start }) => {
  const capture = await start();
  const other = createSmtpServer(capture.ctx);
  await expect(other.listen(capture.port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  await other.close(0);
});
