import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTransport } from 'nodemailer';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Ready } from '../../src/runtime.ts';
import { dev as devOfPackage, type Exit, type Run, run, temporaryDirectory } from '../support/cli.ts';
import { BY_DAY } from '../support/night.ts';
import { onceInRun } from '../support/once-in-run.ts';
import { ROOT } from '../support/pages.ts';
import { ON_WINDOWS } from '../support/platform.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

// Builds the one file that needs no Node, and walks through what a user does with it. The package is not beside it, and
// PATH names no program.

const exec = promisify(execFile);
const NAME = ON_WINDOWS ? 'mailcap.exe' : 'mailcap';
const MEGABYTE = 1e6;
const MAIL = { from: 'app@example.com', to: 'ada@inbox.mailcap.example.com' };

let file: string;
let where: string;

function inside(args: readonly string[], cwd: string, env: Record<string, string> = {}): Run {
  return run(file, args, { cwd, env: { PATH: '', HOME: cwd, NODE_OPTIONS: '', ...env } });
}

async function done(args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr }: Exit = await inside(args, cwd, env).exit;
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, stderr]);
  return stdout;
}

async function deliver({ smtpPort }: Ready, mail: { subject: string; text?: string; html?: string; raw?: string }) {
  await createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true }).sendMail({ ...MAIL, ...mail });
}

const free = { MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0' };
const dev = (cwd: string, env: Record<string, string> = {}) => inside(['dev', '--json'], cwd, { ...free, ...env });

unless(describe, BY_DAY)('the file that needs no Node', () => {
  beforeAll(async () => {
    where = await onceInRun('executable', async (path) => {
      await exec(process.execPath, [join('.build', 'executable.js')], { cwd: ROOT });
      await mkdir(path);
      await copyFile(join(ROOT, 'dist', 'executable', NAME), join(path, NAME));
    });
    file = join(where, NAME);
  }, 240_000);

  test('is at most 60 MB when it is packed', async () => {
    const packed = await promisify(gzip)(await readFile(file));
    expect(packed.length / MEGABYTE).toBeLessThanOrEqual(60);
  }, 60_000);

  test('takes mail, waits for codes, shows its page and documentation, searches, checks, and ends', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(cwd, { MAILCAP_IMAP_PORT: '0' });
    const ready = await server.ready();
    const waiting = inside(['messages', 'wait', '--code', '--timeout', '30s'], cwd);
    await deliver(ready, { subject: 'Sign in', text: 'Your code is 481516.' });
    expect((await waiting.exit).stdout).toBe('481516\n');

    const page = await (await fetch(ready.url, { headers: { accept: 'text/html' } })).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const asset = await fetch(ready.url + path);
      expect([path, asset.status]).toEqual([path, 200]);
      expect((await asset.text()).length).toBeGreaterThan(100);
    }
    expect(await (await fetch(`${ready.url}/docs`)).text()).toContain('Documentation');
    expect(await done(['docs', 'faults'], cwd)).toContain('Faults');
    const documents = await (await fetch(`${ready.url}/_mailcap/metrics`)).text();
    expect(documents).toContain('mailcap_');

    const japanese = Buffer.from('=?iso-2022-jp?B?GyRCRnwbKEI=?=').toString();
    const raw = `From: a@example.com\r\nTo: ${MAIL.to}\r\nSubject: ${japanese}\r\nContent-Type: text/html\r\n\r\n<p>A rare word: xylograph <a href="https://app.test/verify?t=1">verify</a></p>`;
    await deliver(ready, { subject: '', raw });
    const found = async () => JSON.parse(await done(['messages', 'list', 'xylograph', '--json'], cwd));
    await vi.waitFor(async () => expect(await found()).toHaveLength(1), { timeout: 20_000 });
    const [message] = await found();
    expect(message.subject).toBe('日');
    expect(await done(['messages', 'show', message.id], cwd)).toContain('https://app.test/verify?t=1');
    const checked = JSON.parse((await inside(['messages', 'check', message.id, '--json'], cwd).exit).stdout);
    expect(JSON.stringify(checked)).toContain('severity');

    const sendmail = inside(['sendmail', '-t'], cwd);
    sendmail.child.stdin?.end(`From: cron@example.com\nTo: ${MAIL.to}\nSubject: Cron\n\nIt ran.\n`);
    expect((await sendmail.exit).code).toBe(0);
    expect(await done(['messages', 'wait', '--subject', 'Cron', '--json'], cwd)).toContain('It ran.');

    expect(await done(['stop'], cwd)).toBe('');
    expect((await server.exit).code).toBe(0);
  }, 120_000);

  test('starts a server that goes on by itself, and is sendmail by its name', async () => {
    const cwd = await temporaryDirectory();
    const ready: Ready = JSON.parse(await done(['dev', '--detach', '--json'], cwd, free));
    const sendmail = join(cwd, 'sendmail');
    if (!ON_WINDOWS) {
      await symlink(file, sendmail);
      const sent = run(sendmail, ['-t'], { cwd, env: { PATH: '', HOME: cwd } });
      sent.child.stdin?.end(`From: cron@example.com\nTo: ${MAIL.to}\nSubject: By name\n\nIt ran.\n`);
      expect((await sent.exit).code).toBe(0);
      expect(await done(['messages', 'list'], cwd)).toContain('By name');
      // A tool such as Lando copies the program into the container of the app, where nothing of mailcap is.
      const elsewhere = await temporaryDirectory();
      const mailpit = join(elsewhere, 'mailpit');
      await copyFile(file, mailpit);
      const args = ['sendmail', '-t', '-S', `127.0.0.1:${ready.smtpPort}`];
      const copied = run(mailpit, args, { cwd: elsewhere, env: { PATH: '' } });
      copied.child.stdin?.end(`From: php@example.com\nTo: ${MAIL.to}\nSubject: From a copy\n\nHi\n`);
      expect(await copied.exit).toMatchObject({ code: 0, stderr: '' });
      expect(await done(['messages', 'list'], cwd)).toContain('From a copy');
    }
    expect((await fetch(`${ready.url}/_mailcap/info`)).status).toBe(200);
    await done(['stop'], cwd);
  }, 60_000);

  test.each([
    ['mailcap.config.mjs', "const port = 0;\nexport default { port, smtpPort: 0, mailDomain: 'one.test' };\n"],
    ['mailcap.config.ts', "const port: number = 0;\nexport default { port, smtpPort: 0, mailDomain: 'one.test' };\n"],
    ['mailcap.config.cjs', "module.exports = { port: 0, smtpPort: 0, mailDomain: 'one.test' };\n"],
  ])(
    'reads %s',
    async (name, text) => {
      const cwd = await temporaryDirectory();
      await writeFile(join(cwd, name), text);
      const server = inside(['dev', '--json'], cwd);
      expect((await server.ready()).mailDomain).toBe('one.test');
      expect((await server.stop()).code).toBe(0);
    },
    60_000,
  );

  test('has the driver of PostgreSQL', async () => {
    const cwd = await temporaryDirectory();
    const { code, stderr } = await inside(['dev', '--store', 'postgres://127.0.0.1:1/none'], cwd, free).exit;
    expect([code, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(stderr).not.toContain('npm');
  }, 60_000);

  test('gives agents their tools', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(cwd);
    await server.ready();
    const agent = inside(['mcp'], cwd);
    const about = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    agent.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: about })}\n`);
    const [answer] = agent.child.stdout === null ? [] : await once(agent.child.stdout, 'data');
    expect(JSON.parse(String(answer))).toMatchObject({ id: 1, result: { serverInfo: { name: 'mailcap' } } });
    await agent.stop();
  }, 60_000);

  unless(test, ON_WINDOWS ?? lacking('script'))(
    'shows the inbox on a terminal',
    async () => {
      const cwd = await temporaryDirectory();
      const ready = await dev(cwd).ready();
      await deliver(ready, { subject: 'On the terminal', text: 'Your code is 481516.' });
      const inbox = run('script', ['-qefc', `stty cols 100 rows 30; '${file}' inbox`, '/dev/null'], {
        cwd,
        env: { TERM: 'xterm', SHELL: '/bin/sh', NO_COLOR: '1', HOME: cwd },
      });
      let shown = '';
      inbox.child.stdout?.on('data', (text) => (shown += text));
      await vi.waitFor(() => expect(shown).toContain('On the terminal'), { timeout: 20_000 });
      inbox.child.stdin?.write('q');
      expect((await inbox.exit).code).toBe(0);
    },
    60_000,
  );

  test('starts within 1.3 times what the package takes', async () => {
    const times: { one: number[]; whole: number[] } = { one: [], whole: [] };
    for (let turn = 0; turn < 7; turn++) {
      for (const [kind, start] of [
        ['one', dev],
        ['whole', (cwd: string) => devOfPackage(['--json'], { cwd, env: free })],
      ] as const) {
        const cwd = await temporaryDirectory();
        const begun = performance.now();
        const server = start(cwd);
        await server.ready();
        times[kind].push(performance.now() - begun);
        server.child.kill('SIGKILL');
        await server.exit;
      }
    }
    const middle = (all: number[]) => all.sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
    expect(middle(times.one)).toBeLessThanOrEqual(1.3 * middle(times.whole));
  }, 120_000);
});
