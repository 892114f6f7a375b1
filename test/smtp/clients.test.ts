import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import type { Message } from '../../src/domain/message.ts';
import { lacking, PATH } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import type { Capture } from './capture.ts';
import { test } from './fixtures.ts';

const run = promisify(execFile);
const TO = 'someone+tag@inbox.mailcap.example.com';

async function only(capture: Capture): Promise<Message> {
  const messages = await capture.messages(capture.inbox);
  expect(messages).toHaveLength(1);
  const [message] = messages;
  if (message === undefined) throw new Error('no message');
  return message;
}

describe('nodemailer', () => {
  test('sends over STARTTLS, signed in, with SMTPUTF8 and an attachment', async ({ start }) => {
    const capture = await start({ config: { starttls: 'on' } });
    const shop = await capture.addMailbox('shop');
    const transport = createTransport({
      host: '127.0.0.1',
      port: capture.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'shop', pass: 'any' },
    });
    await transport.sendMail({
      from: 'отправитель@x.test',
      to: ['получатель@example.com', 'b@example.com'],
      bcc: 'hidden@example.com',
      subject: 'Grüße',
      text: '.\n..\ntext',
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(200_000, 7) }],
    });
    const [message] = await capture.messages(shop);
    if (message === undefined) throw new Error('no message');
    expect(message.rcptTo).toEqual(['получатель@example.com', 'b@example.com', 'hidden@example.com']);
    expect(message.mailFrom).toBe('отправитель@x.test');
    expect(await capture.facts(message)).toMatchObject({ user: 'shop', tls: { protocol: 'TLSv1.3' } });
    expect(await capture.raw(message)).not.toMatch(/hidden/);
  });

  test('refuses a self-signed certificate, which the log reports once, and sends if none is offered', async ({
    start,
  }) => {
    const capture = await start({ config: { starttls: 'on' } });
    const mail = { from: 'a@x.test', to: TO, subject: 's', text: 't' };
    const send = (port: number) => createTransport({ host: '127.0.0.1', port }).sendMail(mail);
    await expect(send(capture.port)).rejects.toThrow(/self-signed/);
    await expect(send(capture.port)).rejects.toThrow(/self-signed/);
    await vi.waitFor(() => expect(capture.server.connections).toBe(0), { timeout: 15_000 });
    const hints = () =>
      capture.logged.filter(({ level, message }) => level === 'warn' && message.includes('--starttls off'));
    await vi.waitFor(() => expect(hints()).toHaveLength(1), { timeout: 15_000 });

    const clear = await start();
    await send(clear.port);
    expect(await clear.messages(clear.inbox)).toHaveLength(1);
  });

  test('sends many over a pool', async ({ start }) => {
    const capture = await start();
    const transport = createTransport({
      host: '127.0.0.1',
      port: capture.port,
      pool: true,
      maxConnections: 5,
      ignoreTLS: true,
    });
    const mails = Array.from({ length: 50 }, (_, n) => ({ from: 'a@x.test', to: TO, subject: `${n}`, text: 'x' }));
    await Promise.all(mails.map((mail) => transport.sendMail(mail)));
    transport.close();
    const subjects = (await capture.messages(capture.inbox)).map((message) => Number(message.subject));
    expect(subjects.sort((a, b) => a - b)).toEqual(mails.map((_, n) => n));
  });

  test('learns that a message is too large before it sends it', async ({ start }) => {
    const capture = await start({ config: { smtpSize: 1_000 } });
    const transport = createTransport({ host: '127.0.0.1', port: capture.port, ignoreTLS: true });
    const mail = { from: 'a@x.test', to: TO, text: 'x'.repeat(5_000) };
    await expect(transport.sendMail(mail)).rejects.toMatchObject({ responseCode: 552 });
  });
});

describe('programs', () => {
  let directory: string;
  let file: string;
  const content = 'Subject: From a file\r\n\r\n.\r\n..x\r\nbody\r\n';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mailcap-clients-'));
    file = join(directory, 'mail.eml');
    await writeFile(file, content);
  });
  afterAll(() => rm(directory, { recursive: true }));

  unless(test, lacking('swaks'))('swaks sends over STARTTLS and signed in', async ({ start }) => {
    const capture = await start({ config: { starttls: 'on' } });
    const server = ['--server', `127.0.0.1:${capture.port}`, '--tls', '--auth', 'LOGIN', '--auth-user', 'inbox'];
    const mail = ['--auth-password', 'any', '--from', '<>', '--to', 'x@example.com', '--header', 'Subject: swaks'];
    await run('swaks', [...server, ...mail], { env: { ...process.env, PATH } });
    const message = await only(capture);
    expect(message).toMatchObject({ mailFrom: '', rcptTo: ['x@example.com'], subject: 'swaks' });
    expect(await capture.facts(message)).toMatchObject({
      user: 'inbox',
      tls: { protocol: expect.stringMatching(/TLS/) },
    });
  });

  unless(test, lacking('swaks'))('swaks with PIPELINING is answered in order', async ({ start }) => {
    const capture = await start();
    const to = 'a@inbox.mailcap.example.com,b@inbox.mailcap.example.com';
    await run('swaks', ['--server', `127.0.0.1:${capture.port}`, '--pipeline', '--from', 'a@x.test', '--to', to]);
    expect((await only(capture)).rcptTo).toEqual(to.split(','));
  });

  unless(test, lacking('curl'))(
    'curl sends a file, byte for byte, over STARTTLS and in the clear',
    async ({ start }) => {
      for (const tls of [['--ssl-reqd', '--insecure'], []]) {
        const capture = await start({ config: { starttls: 'on' } });
        const url = `smtp://127.0.0.1:${capture.port}/client.test`;
        await run('curl', ['-sS', url, ...tls, '--mail-from', 'a@x.test', '--mail-rcpt', TO, '--upload-file', file]);
        const message = await only(capture);
        expect(message).toMatchObject({ mailFrom: 'a@x.test', rcptTo: [TO], subject: 'From a file' });
        expect(await capture.raw(message)).toBe(content);
      }
    },
  );

  unless(test, lacking('python3'))("Python's smtplib sends over STARTTLS and signed in", async ({ start }) => {
    const capture = await start({ config: { starttls: 'on' } });
    const program = `
import smtplib, ssl, sys
with smtplib.SMTP('127.0.0.1', ${capture.port}) as s:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    s.starttls(context=context)
    s.login('inbox', 'any')
    s.verify('someone')
    s.sendmail('a@x.test', ['"a b"@example.com', 'c@example.com'], b'Subject: smtplib\\r\\n\\r\\n.\\r\\n..x\\r\\nbody\\r\\n')
`;
    await run('python3', ['-c', program]);
    const message = await only(capture);
    expect(message).toMatchObject({ rcptTo: ['"a b"@example.com', 'c@example.com'], subject: 'smtplib' });
    expect(await capture.raw(message)).toBe('Subject: smtplib\r\n\r\n.\r\n..x\r\nbody\r\n');
  });

  unless(test, lacking('smtp-source')).for([
    ['with a connection for each mail', []],
    ['over connections it keeps', ['-d']],
  ] as const)('every mail of smtp-source in 20 sessions %s is accepted', async ([, reuse], { start }) => {
    const capture = await start();
    const load = [...reuse, '-s', '20', '-l', '10240', '-m', '200', '-f', 'a@x.test', '-t', TO];
    await run('smtp-source', [...load, `127.0.0.1:${capture.port}`], { env: { ...process.env, PATH } });
    const messages = await capture.messages(capture.inbox);
    expect(messages).toHaveLength(200);
    expect(Math.min(...messages.map((message) => message.sizeBytes))).toBeGreaterThan(10_240);
  });
});
