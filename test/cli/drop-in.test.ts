import { mkdir, symlink } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BIN, type Run, run, temporaryDirectory } from '../support/cli.ts';
import { blockOf } from '../support/pages.ts';

const MAILPIT = join(BIN, '..', 'mailpit.js');
const MAILDEV = join(BIN, '..', 'maildev.js');

interface Started {
  readonly url: string;
  readonly smtpPort: number;
  readonly running: Run;
  readonly told: () => string;
}

/** Starts a program as an image does, and waits for the line that test libraries wait for. */
async function start(args: readonly string[], env: Record<string, string>): Promise<Started> {
  const running = run(process.execPath, args, { cwd: await temporaryDirectory(), env });
  onTestFinished(async () => void (await running.stop()));
  let out = '';
  let told = '';
  running.child.stdout?.on('data', (text) => (out += text));
  running.child.stderr?.on('data', (text) => (told += text));
  // Testcontainers for Java, as Quarkus uses it.
  await vi.waitFor(() => expect(out).toMatch(/\[http\] accessible via.*\n$/), 20_000);
  const port = /accessible via http:\/\/[^:]+:(\d+)/.exec(out)?.[1];
  const smtpPort = Number(/\[smtpd\] starting on .*:(\d+)/.exec(out)?.[1]);
  return { url: `http://127.0.0.1:${port}`, smtpPort, running, told: () => told };
}

const ANY_PORT = { MP_UI_BIND_ADDR: '127.0.0.1:0', MP_SMTP_BIND_ADDR: '127.0.0.1:0' };
const MAIL = { from: 'a@example.com', to: 'b@example.com', subject: 'Hello', text: 'Hi' };
const toPort = (port: number, more: object = {}) =>
  createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...more });
const listed = async (url: string): Promise<{ total: number; messages: unknown[] }> =>
  JSON.parse(await (await fetch(`${url}/api/v1/messages`)).text());
/** Asks for the messages as a proxy does that has this name. Returns the status. */
const statusAs = (url: string, host: string) =>
  new Promise((resolve, reject) => {
    const request = get(`${url}/api/v1/messages`, { headers: { host } }, (res) => resolve(res.resume().statusCode));
    request.on('error', reject);
  });
const count = async (url: string) => (await listed(url)).total;

describe('with the variables of a Testcontainers module', () => {
  test('of Go: only its user sends', async () => {
    const { url, smtpPort } = await start([BIN, 'dev'], {
      ...ANY_PORT,
      ...{ MP_SMTP_AUTH: 'user:password', MP_SMTP_AUTH_ALLOW_INSECURE: 'true', MP_MAX_MESSAGES: '100' },
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await expect(toPort(smtpPort).sendMail(MAIL)).rejects.toThrow(/530 5\.7\.0/);
    await expect(toPort(smtpPort, { auth: { user: 'user', pass: 'wrong' } }).sendMail(MAIL)).rejects.toThrow(
      /535 5\.7\.8/,
    );
    await toPort(smtpPort, { auth: { user: 'user', pass: 'password' } }).sendMail(MAIL);
    expect(await count(url)).toBe(1);
  });

  test('of .NET: TLS has the names of sans:', async () => {
    const { smtpPort } = await start([BIN, 'dev'], {
      ...ANY_PORT,
      ...{ MP_SMTP_TLS_CERT: 'sans:localhost,mail.example', MP_SMTP_TLS_KEY: 'sans:localhost,mail.example' },
    });
    await toPort(smtpPort, { ignoreTLS: false, requireTLS: true, tls: { rejectUnauthorized: false } }).sendMail(MAIL);
    expect(await namesAt(smtpPort)).toContain('DNS:mail.example');
  });

  test('of Python, with TLS from the first byte', async () => {
    const tls = { MP_SMTP_TLS_CERT: 'sans:localhost', MP_SMTP_TLS_KEY: 'sans:localhost', MP_SMTP_REQUIRE_TLS: '1' };
    const users = { MP_SMTP_AUTH: 'jane:secret ron:pass2', MP_SMTP_AUTH_ACCEPT_ANY: '0' };
    const { url, smtpPort } = await start([BIN, 'dev'], { ...ANY_PORT, ...tls, ...users });
    const secure = { ignoreTLS: false, secure: true, tls: { rejectUnauthorized: false } };
    for (const auth of [
      { user: 'jane', pass: 'secret' },
      { user: 'ron', pass: 'pass2' },
    ])
      await toPort(smtpPort, { ...secure, auth }).sendMail(MAIL);
    expect(await count(url)).toBe(2);
    await expect(toPort(smtpPort, { greetingTimeout: 500 }).sendMail(MAIL)).rejects.toThrow();
  });

  test('of Quarkus: everything is below MP_WEBROOT, and settings that are not done are told once', async () => {
    const { url, told } = await start([BIN, 'dev'], {
      ...ANY_PORT,
      ...{ MP_WEBROOT: '/q/mailpit', MP_VERBOSE: 'true', MP_ENABLE_CHAOS: 'true', MP_MAX_MESSAGES: '500' },
      ...{
        MP_SMTP_RELAY_PORT: '25',
        MP_SMTP_RELAY_STARTTLS: 'false',
        MP_SMTP_RELAY_ALL: 'false',
        MP_SMTP_RELAY_AUTH: 'none',
      },
    });
    expect((await fetch(`${url}/q/mailpit/api/v1/messages`)).status).toBe(200);
    expect(told().match(/not done here/g) ?? []).toHaveLength(told().includes('MP_MAX_MESSAGES') ? 1 : 0);
  });
});

test('the service of the page takes mail of any sign-in, and its health check passes', async () => {
  const service = blockOf('docs/drop-in.md', 'dropin');
  const variables = Object.fromEntries(
    [...service.matchAll(/^ +(MP_\w+): (\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(Object.keys(variables)).toHaveLength(2);
  const [, check] = /test: \['CMD', '\/mailpit', '(\w+)'\]/.exec(service) ?? [];
  const { url, smtpPort } = await start([MAILPIT], { ...ANY_PORT, ...variables });
  await toPort(smtpPort, { auth: { user: 'any', pass: 'thing' } }).sendMail(MAIL);
  const env = { MP_UI_BIND_ADDR: new URL(url).host };
  const healthy = run(process.execPath, [MAILPIT, check ?? ''], { cwd: await temporaryDirectory(), env });
  expect(await healthy.exit).toMatchObject({ code: 0 });
});

describe('replayed from the sources of a development tool', () => {
  test('Aspire waits for /livez and /readyz, and its test counts the messages', async () => {
    const MP_DATABASE = join(await temporaryDirectory(), 'mailpit.db');
    const { url, smtpPort } = await start([MAILPIT], { ...ANY_PORT, MP_DATABASE });
    for (const path of ['/livez', '/readyz']) expect((await fetch(url + path)).status, path).toBe(200);
    await toPort(smtpPort).sendMail({ ...MAIL, replyTo: 'reply@test.com' });
    expect(await listed(url)).toMatchObject({ messages_count: 1 });
  });

  test('Lando scans the inbox, keeps the mail, and its proxy has a name of its own', async () => {
    const { url, smtpPort, told } = await start([MAILPIT], {
      ...{ ...ANY_PORT, TERM: 'xterm', MP_SMTP_AUTH_ACCEPT_ANY: '1', MP_SMTP_AUTH_ALLOW_INSECURE: '1' },
      ...{ MP_MAX_MESSAGES: '500', MP_DATABASE: join(await temporaryDirectory(), 'mailpit.sqlite') },
      MAILCAP_ALLOWED_HOSTS: 'mail.app.lndo.site',
    });
    expect((await fetch(url)).status).toBe(200);
    await toPort(smtpPort).sendMail(MAIL);
    expect(await statusAs(url, 'mail.app.lndo.site')).toBe(200);
    expect(await statusAs(url, 'elsewhere.example')).toBe(403);
    expect(told()).not.toContain('not done here');
  });

  test('the Supabase CLI names a port of POP3 without users, and waits for /readyz', async () => {
    const more = { MP_POP3_BIND_ADDR: '127.0.0.1:0', MP_SMTP_DISABLE_RDNS: 'true' };
    const { url, smtpPort } = await start([MAILPIT], { ...ANY_PORT, ...more });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await toPort(smtpPort).sendMail(MAIL);
    expect(await count(url)).toBe(1);
  });

  test('DDEV looks at the root, sends from PHP by the program, and finds the mail through its router', async () => {
    const { url, smtpPort } = await start([MAILPIT], { ...ANY_PORT, MAILCAP_ALLOWED_HOSTS: 'testmailpit.ddev.site' });
    expect((await fetch(url)).status).toBe(200);
    const sending = run(process.execPath, [MAILPIT, 'sendmail', '-t', '--smtp-addr', `127.0.0.1:${smtpPort}`], {
      cwd: await temporaryDirectory(),
    });
    sending.child.stdin?.end('From: a@example.com\nTo: b@example.com\nSubject: Testing DDEV Mailpit\n\nHi\n');
    expect(await sending.exit).toMatchObject({ code: 0 });
    expect(await listed(url)).toMatchObject({ messages: [{ Subject: 'Testing DDEV Mailpit' }] });
    expect(await statusAs(url, 'testmailpit.ddev.site')).toBe(200);
  });
});

test('MP_SMTP_REQUIRE_STARTTLS refuses mail and sign-in before STARTTLS', async () => {
  const { url, smtpPort } = await start([MAILPIT], {
    ...ANY_PORT,
    ...{ MP_SMTP_TLS_CERT: 'sans:localhost', MP_SMTP_TLS_KEY: 'sans:localhost', MP_SMTP_REQUIRE_STARTTLS: 'true' },
  });
  await expect(toPort(smtpPort).sendMail(MAIL)).rejects.toThrow(/530 5\.7\.0 Must issue a STARTTLS/);
  const auth = { user: 'a', pass: 'b' };
  await expect(toPort(smtpPort, { auth }).sendMail(MAIL)).rejects.toThrow(/530/);
  await toPort(smtpPort, { ignoreTLS: false, requireTLS: true, tls: { rejectUnauthorized: false }, auth }).sendMail(
    MAIL,
  );
  expect(await count(url)).toBe(1);
});

test('flags alone start it, as Micronaut gives them to the image', async () => {
  const { url, smtpPort, told } = await start([BIN, '--smtp', '[::]:0', '--listen', '[::]:0', '--future'], {});
  await toPort(smtpPort).sendMail(MAIL);
  expect(await count(url)).toBe(1);
  expect(told()).toContain('--future: no setting of Mailpit that mailcap knows.');
  expect(told().match(/it asks for no token/g)).toHaveLength(1);
});

test('the program maildev takes MailDev’s variables and flags', async () => {
  const env = { MAILDEV_WEB_IP: '127.0.0.1', MAILDEV_INCOMING_USER: 'ada', MAILDEV_INCOMING_PASS: 'secret' };
  const { url, smtpPort } = await start([MAILDEV, '--smtp', '0', '--web', '0', '--ip', '127.0.0.1'], env);
  for (const path of ['/healthz', '/api/healthz']) expect(await (await fetch(url + path)).json()).toBe(true);
  await expect(toPort(smtpPort).sendMail(MAIL)).rejects.toThrow(/530/);
  await toPort(smtpPort, { auth: { user: 'ada', pass: 'secret' } }).sendMail(MAIL);
  expect(await (await fetch(`${url}/email`)).json()).toMatchObject([{ subject: 'Hello' }]);
});

test.each(['MAILDEV_WEB', 'MAILDEV_INCOMING'])('%s_USER without its password is refused', async (variable) => {
  const { exit } = run(process.execPath, [MAILDEV, '--smtp', '0', '--web', '0', '--ip', '127.0.0.1'], {
    cwd: await temporaryDirectory(),
    env: { MAILDEV_WEB_IP: '127.0.0.1', [`${variable}_USER`]: 'ada' },
  });
  const stderr = `mailcap: ${variable}_USER needs a password: set ${variable}_PASS too.\n`;
  expect(await exit).toMatchObject({ code: 2, stderr });
});

describe('the program mailpit', () => {
  test('readyz tells whether the server is ready, below its webroot too', async () => {
    const env = { ...ANY_PORT, MP_WEBROOT: '/mail' };
    const { url } = await start([MAILPIT], env);
    const { host } = new URL(url);
    const cwd = await temporaryDirectory();
    const ask = (args: string[]) =>
      run(process.execPath, [MAILPIT, 'readyz', ...args], { cwd, env: { ...env, MP_UI_BIND_ADDR: host } }).exit;
    expect(await ask([])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await ask(['--wait', '--timeout', '5s'])).toMatchObject({ code: 0 });
    expect(await ask(['--listen', '127.0.0.1:1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('sendmail sends to -S and to the recipients of the header, by any name of the program', async () => {
    const { url, smtpPort } = await start([MAILPIT], ANY_PORT);
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'bin'));
    await symlink(MAILPIT, join(cwd, 'bin', 'mailpit'));
    const sent = run(
      process.execPath,
      [join(cwd, 'bin', 'mailpit'), 'sendmail', '-S', `127.0.0.1:${smtpPort}`, '-f', 'php@example.com'],
      { cwd },
    );
    sent.child.stdin?.end('To: b@example.com\nSubject: From PHP\n\nOne\n.\nTwo\n');
    expect(await sent.exit).toMatchObject({ code: 0 });
    const { messages } = await listed(url);
    expect(messages).toMatchObject([{ Subject: 'From PHP', From: { Address: 'php@example.com' } }]);
    expect(await (await fetch(`${url}/view/latest.txt`)).text()).toContain('Two');
  });

  test.each([
    [
      '-r and options with values',
      ['-t', '-N', 'never', '-O', 'DeliveryMode=b', '-odb', '-os', '-r', 'php@example.com'],
    ],
    ['long options, and one that nobody knows', ['--from=php@example.com', '--name', 'PHP', '--future', '-Z']],
  ])('sendmail takes %s', async (_, args) => {
    const { url, smtpPort } = await start([MAILPIT], ANY_PORT);
    const { child, exit } = run(process.execPath, [MAILPIT, 'sendmail', ...args], {
      cwd: await temporaryDirectory(),
      env: { MP_SENDMAIL_SMTP_ADDR: `127.0.0.1:${smtpPort}` },
    });
    child.stdin?.end('To: b@example.com\nSubject: From PHP\n\nOne\n');
    expect(await exit).toMatchObject({ code: 0, stderr: '' });
    const { messages } = await listed(url);
    expect(messages).toMatchObject([
      { From: { Address: 'php@example.com' }, To: [{ Address: 'b@example.com' }], Bcc: null },
    ]);
  });

  test('version and what mailcap does otherwise', async () => {
    const cwd = await temporaryDirectory();
    const mailpit = (...args: string[]) => run(process.execPath, [MAILPIT, ...args], { cwd }).exit;
    expect(await mailpit('version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mailcap \d/) });
    expect(await mailpit('dump', '/tmp/x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mailcap export'),
    });
    expect(await mailpit('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('readyz') });
  });
});

async function namesAt(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const said = (expected: RegExp) =>
    new Promise<void>((resolve) => {
      let text = '';
      const read = (data: Buffer) => {
        text += data;
        if (!expected.test(text)) return;
        socket.off('data', read);
        resolve();
      };
      socket.on('data', read);
    });
  await said(/^220 .*\r\n/);
  socket.write('EHLO x\r\n');
  await said(/^250 .*\r\n/m);
  socket.write('STARTTLS\r\n');
  await said(/^220 .*\r\n/);
  const tls = connectTls({ socket, rejectUnauthorized: false });
  await new Promise((resolve) => tls.once('secureConnect', resolve));
  const names = tls.getPeerCertificate().subjectaltname ?? '';
  tls.destroy();
  return names;
}
