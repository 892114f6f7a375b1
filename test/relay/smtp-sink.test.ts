import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { eventually, messagesIn, sendMail } from '../support/outbound.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

// Tests with Postfix's test server and its flags for rejections and delays (smtp-sink(1)).

const ADA = 'ada@elsewhere.test';
const SINK = '/usr/sbin/smtp-sink';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function sink(port: number, ...flags: string[]): Promise<ChildProcess> {
  // smtp-sink requires a user name if root starts it.
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const child = spawn(SINK, [...user, ...flags, `inet:127.0.0.1:${port}`, '64'], { stdio: 'ignore' });
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  await vi.waitFor(
    async () => {
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'connect');
      } finally {
        socket.destroy();
      }
    },
    { timeout: 5_000, interval: 20 },
  );
  return child;
}

/** Starts a server that relays to this port, and returns the send to Ada. */
async function sentThrough(
  port: number,
): Promise<{ sendId: string; server: Awaited<ReturnType<typeof startServer>>; mailboxId: string }> {
  const server = await startServer({ relay: `smtp://127.0.0.1:${port}` });
  cleanups.push(() => server.close());
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA, bcc: 'bob@elsewhere.test' });
  return { sendId: outboundSendId, server, mailboxId: mailbox.id };
}

// By day one command before the mail and its end. The scripted relay of delivery.test.ts refuses at all of them.
const REJECTED = byDay(['MAIL', 'RCPT', 'DATA', '.'], (command) => command === 'RCPT' || command === '.');
unless(test, lacking('smtp-sink')).each(REJECTED)(
  'smtp-sink -f %s, a hard reject: bounced, and a report',
  async (command) => {
    const port = await freePort();
    await sink(port, '-f', command);
    const { server, sendId, mailboxId } = await sentThrough(port);
    const send = await eventually(server, sendId);
    expect(send.recipients.map((recipient) => recipient.state)).toEqual(['bounced', 'bounced']);
    const subjects = (await messagesIn(server, mailboxId)).map(({ subject }) => subject);
    expect(subjects).toEqual([`Delivery failed: ${ADA}, bob@elsewhere.test`, 'Hi']);
  },
);

const DEFERRED = [
  ['-r', 'MAIL'],
  ['-r', 'RCPT'],
  ['-r', 'DATA'],
  ['-r', '.'],
  ['-r', 'CONNECT'],
  ['-f', 'CONNECT'],
  ['-q', 'CONNECT'],
  ['-q', 'MAIL'],
  ['-q', 'RCPT'],
  ['-q', 'DATA'],
] as const;
// By day each flag once, at different commands.
const BY_DAY = ['-r RCPT', '-f CONNECT', '-q DATA'];
unless(test, lacking('smtp-sink')).each(byDay(DEFERRED, (row) => BY_DAY.includes(row.join(' '))))(
  'smtp-sink %s %s: the mail waits, and a relay that accepts it gets it once',
  async (flag, command) => {
    const port = await freePort();
    const child = await sink(port, flag, command);
    const { server, sendId } = await sentThrough(port);
    await eventually(server, sendId, ({ recipients }) => expect(recipients[0]?.attempts).toBeGreaterThan(0));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const directory = mkdtempSync(join(tmpdir(), 'mailcap-sink-'));
    cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    await sink(port, '-d', join(directory, 'mail.'));
    const send = await eventually(server, sendId);
    expect(send.recipients.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    const mails = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain('Subject: Hi');
  },
);

unless(test, lacking('smtp-sink'))('smtp-sink -w 1, a slow one: delivered', async () => {
  const port = await freePort();
  await sink(port, '-w', '1');
  const { server, sendId } = await sentThrough(port);
  expect((await eventually(server, sendId)).state).toBe('delivered');
});

unless(test, lacking('smtp-sink'))(
  'smtp-sink -q ., a break at the end of the message: it may be accepted, so it is failed and not sent again',
  async () => {
    const port = await freePort();
    await sink(port, '-q', '.');
    const { server, sendId } = await sentThrough(port);
    const send = await eventually(server, sendId);
    expect(send.recipients[0]).toMatchObject({ state: 'failed', attempts: 1 });
  },
);
