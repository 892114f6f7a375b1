import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isStartedByNpx } from '../../src/cli/dev.ts';
import type { Ready } from '../../src/runtime.ts';
import { BIN, dev, run, temporaryDirectory } from '../support/cli.ts';

/** An SMTP client that sends single lines and keeps the replies. */
class SmtpClient {
  readonly socket: Socket;
  received = '';
  closed = false;

  constructor({ smtpHost, smtpPort }: Ready) {
    this.socket = createConnection({ host: smtpHost, port: smtpPort });
    this.socket.setEncoding('utf8').on('data', (text) => {
      this.received += text;
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.on('error', () => {});
    onTestFinished(() => void this.socket.destroy());
  }

  /** Sends a text and waits for a matching reply. */
  async say(text: string, answer: RegExp): Promise<void> {
    const from = this.received.length;
    this.socket.write(text);
    await expect.poll(() => this.received.slice(from), { interval: 5, timeout: 5_000 }).toMatch(answer);
  }

  async toData(to: string): Promise<void> {
    await expect.poll(() => this.received, { interval: 5, timeout: 5_000 }).toMatch(/^220 /);
    await this.say('EHLO client.test\r\n', /^250 /m);
    await this.say('MAIL FROM:<a@b.test>\r\n', /^250 /m);
    await this.say(`RCPT TO:<${to}>\r\n`, /^250 /m);
    await this.say('DATA\r\n', /^354 /m);
    this.socket.write('Subject: half\r\n\r\nthe first half\r\n');
  }
}

const asUser = ({ apiKey }: Ready) => ({ headers: { authorization: `Bearer ${apiKey}` } });

describe('a signal to npx, which ends without telling the server', () => {
  /** Starts a server as npm does, by a shell between, and ends the shell. */
  async function orphaned(env: Readonly<Record<string, string>>) {
    const cwd = await temporaryDirectory();
    // The last command keeps the shell from becoming the server.
    const command = `'${process.execPath}' '${BIN}' dev --json --port 0 --smtp-port 0; true`;
    const shell = run('/bin/sh', ['-c', command], { cwd, env });
    const ready = await shell.ready();
    onTestFinished(() => {
      if (existsSync(join(cwd, '.mailcap', 'server.json'))) process.kill(ready.pid, 'SIGKILL');
    });
    shell.child.kill('SIGTERM');
    return { hasEnded: () => !existsSync(join(cwd, '.mailcap', 'server.json')) };
  }

  test('the server shuts down as after its own signal', async () => {
    const { hasEnded } = await orphaned({ npm_command: 'exec', npm_lifecycle_script: "'mailcap'" });
    await expect.poll(hasEnded, { timeout: 8_000 }).toBe(true);
  });

  test.each([
    [{ npm_command: 'exec', npm_lifecycle_script: "'mailcap'" }, true],
    [{ npm_command: 'exec', npm_lifecycle_script: 'mailcap dev --ephemeral' }, true],
    // A program that npx started may start a server that outlives it, and so may a script of package.json.
    [{ npm_command: 'exec', npm_lifecycle_script: "'some-runner' mailcap" }, false],
    [{ npm_command: 'run-script', npm_lifecycle_script: 'mailcap dev &' }, false],
    [{}, false],
  ])('of %o npx itself is the parent: %s', (env, isNpx) => {
    expect(isStartedByNpx(env)).toBe(isNpx);
  });
});

describe('SIGTERM', () => {
  test('a waiting await is answered 503 shutting_down at once, and the exit code is 0', async () => {
    const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    const waiting = fetch(`${ready.apiUrl}/mailboxes/${ready.mailboxId}/messages/await?timeout=60`, asUser(ready));
    // This later request was answered, so the server holds the await by now.
    await fetch(`${ready.apiUrl}/mailboxes`, asUser(ready));
    const started = performance.now();
    const exit = server.stop();
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toEqual([503, { error: 'shutting_down' }]);
    expect((await exit).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  test('while the last transaction ends, SMTP accepts no connection, and HTTP says that the server stops', async () => {
    const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    const client = new SmtpClient(ready);
    await client.toData('half@inbox.mailcap.example.com');
    const exit = server.stop();
    await expect.poll(() => isRefused(ready), { timeout: 5_000 }).toBe(true);
    const health = await fetch(`${ready.url}/_mailcap/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { status: 'stopping' }]);
    const refused = await fetch(`${ready.apiUrl}/mailboxes`, asUser(ready));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await client.say('.\r\n', /^250 /m);
    expect((await exit).code).toBe(0);
    await expect(fetch(`${ready.url}/_mailcap/health`)).rejects.toThrow();
  });

  test('idle connections do not delay the stop', async () => {
    const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    const [silent, greeted] = [new SmtpClient(ready), new SmtpClient(ready)];
    await expect.poll(() => silent.received).toMatch(/^220 /);
    await expect.poll(() => greeted.received).toMatch(/^220 /);
    await greeted.say('EHLO client.test\r\n', /^250 /m);
    const unasked = createConnection(Number(new URL(ready.url).port), '127.0.0.1');
    onTestFinished(() => void unasked.destroy());
    await once(unasked, 'connect');
    // The client keeps this connection alive.
    await fetch(`${ready.url}/_mailcap/health`).then((answer) => answer.text());
    const started = performance.now();
    expect((await server.stop()).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(8_000);
    await expect.poll(() => greeted.received).toMatch(/^421 /m);
  });

  test('a second signal ends the process at once', async () => {
    const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    const client = new SmtpClient(ready);
    await client.toData('half@inbox.mailcap.example.com');
    server.child.kill('SIGTERM');
    await expect.poll(() => isRefused(ready), { timeout: 5_000 }).toBe(true);
    const started = performance.now();
    const { code } = await server.stop();
    expect(code).toBe(143);
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});

test('SIGINT ends it with exit code 0 too', async () => {
  const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
  await server.ready();
  server.child.kill('SIGINT');
  expect((await server.exit).code).toBe(0);
});

test('a signal while it starts is not lost', async () => {
  const cwd = await temporaryDirectory();
  const server = dev([], { cwd });
  await expect.poll(() => existsSync(join(cwd, '.mailcap')), { interval: 2, timeout: 30_000 }).toBe(true);
  expect((await server.stop()).code).toBe(0);
});

/** Returns whether the SMTP port refuses connections. */
function isRefused({ smtpHost, smtpPort }: Ready): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: smtpHost, port: smtpPort });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
