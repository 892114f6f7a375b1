import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { expect, test, vi } from 'vitest';
import { attacked, serveForAll } from './attacked.ts';

/** As many connections as the server holds. */
const CROWD = 2_000;

const served = serveForAll();

/** Opens a connection that says each line once the previous one was answered. Resolves with the last answer. */
function speaking(port: number, lines: readonly string[]): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const rest = [...lines];
    socket.on('data', () => {
      const line = rest.shift();
      if (line === undefined) resolve(socket);
      else socket.write(`${line}\r\n`);
    });
  });
}

async function crowdOf(port: number, lines: readonly string[]): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < CROWD)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => speaking(port, lines)))));
  return sockets;
}

/** Delivers a mail as a client that tries again when it was refused. */
async function deliver(port: number, subject: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const mail = { from: 'a@x.test', to: 'a@inbox.mailcap.example.com', subject, text: 'x' };
  await vi.waitFor(() => transport.sendMail(mail), { timeout: 20_000, interval: 100 });
}

const MAIL = ['EHLO slow.test', 'MAIL FROM:<slow@x.test>'];

test.each([
  ['in DATA that send a byte now and then', [...MAIL, 'RCPT TO:<a@inbox.mailcap.example.com>', 'DATA'], 'x'],
  ['in a transaction that say NOOP now and then', MAIL, 'NOOP\r\n'],
])('2,000 connections %s lock nobody out', async (what, lines, now) => {
  const port = served().ready.smtpPort;
  const sockets = await crowdOf(port, lines);
  try {
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write(now);
    }, 800);
    try {
      await attacked(served(), `2,000 SMTP connections ${what}`, () => deliver(port, what));
    } finally {
      clearInterval(timer);
    }
    // The server ends as many as it needs the room of. The longer a busy machine takes, the more are too slow.
    expect(sockets.filter((socket) => socket.closed).length).toBeLessThan(CROWD / 2);
    expect((await served().messages()).filter(({ subject }) => subject === what)).toHaveLength(1);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('clients that send commands without a pause and read no reply keep nobody waiting', async () => {
  const port = served().ready.smtpPort;
  const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));
    await attacked(served(), '100 SMTP connections of 10,000 pipelined EHLOs each, unread', async () => {
      for (const socket of sockets) socket.write('EHLO a\r\n'.repeat(10_000));
      for (let n = 0; n < 5; n++) await deliver(port, 'beside EHLOs');
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
