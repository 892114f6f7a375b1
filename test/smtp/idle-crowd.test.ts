import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { describe, expect } from 'vitest';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { eventually, test } from './fixtures.ts';
import { Wire } from './wire.ts';

const CROWD = 2_000;
/** How long a silent connection may stay while there is plenty of room. A client that is locked out waits that long. */
const IDLE_MS = 300_000;
/** A delivery that takes no longer waits for no silent connection, even on a busy machine. */
const AT_ONCE_MS = IDLE_MS / 10;
const TO = 'a@inbox.mailcap.example.com';

function silent(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', reject).once('connect', () => {
      socket.off('error', reject).on('error', () => {});
      resolve(socket);
    });
  });
}

/** Opens as many connections as a server allows, a few at a time because the listener's backlog is short. */
async function crowd(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < CROWD) sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => silent(port)))));
  return sockets;
}

async function timeToDeliver(port: number, tls = false): Promise<number> {
  const started = performance.now();
  const transport = createTransport({ host: '127.0.0.1', port, secure: tls, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: 'a@x.test', to: TO, subject: 'x', text: 'x' });
  return performance.now() - started;
}

describe(`${CROWD} connections that say nothing`, () => {
  unless(test, ofOneServer('its connections'))(
    'lock nobody out: a client delivers at once, and the silent ones are closed within seconds',
    async ({ start }) => {
      const capture = await start({ bounds: { idleMs: IDLE_MS } });
      const { port: tlsPort } = await capture.server.listenWithTls(0, '127.0.0.1');
      const sockets = await crowd(capture.port);
      try {
        for (let n = 0; n < 5; n++) expect(await timeToDeliver(capture.port)).toBeLessThan(AT_ONCE_MS);
        expect(await timeToDeliver(tlsPort, true)).toBeLessThan(AT_ONCE_MS);
        await eventually(() => expect(capture.server.connections).toBeLessThan(CROWD * 0.95));
        expect(await capture.messages(capture.inbox)).toHaveLength(6);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  );

  unless(test, ofOneServer('its connections'))(
    'on the TLS port, or in the middle of STARTTLS, lock nobody out either',
    async ({ start }) => {
      const capture = await start({ bounds: { idleMs: IDLE_MS } });
      const { port: tlsPort } = await capture.server.listenWithTls(0, '127.0.0.1');
      const sockets = await crowd(tlsPort);
      try {
        expect(await timeToDeliver(capture.port)).toBeLessThan(AT_ONCE_MS);
        expect(await timeToDeliver(tlsPort, true)).toBeLessThan(AT_ONCE_MS);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  );
});

unless(test, ofOneServer('its connections'))(
  'when no room is left, the connection that is idle longest gets 421 4.4.2, and one in a transaction stays',
  async ({ start }) => {
    const capture = await start({ bounds: { connections: 2 } });
    const busy = await Wire.hello(capture.port);
    await busy.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    const idle = await Wire.hello(capture.port);
    await eventually(async () => {
      const newcomer = await Wire.open(capture.port, false);
      expect(await newcomer.reply()).toMatch(/^220 /);
      newcomer.close();
    });
    expect(await idle.reply()).toMatch(/^421 4\.4\.2 /);
    await idle.ended();
    expect(await busy.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
    busy.close();
  },
);
