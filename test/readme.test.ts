import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { loadConfig } from '../src/config/load.ts';
import { OPTIONS } from '../src/config/options.ts';
import type { Ready } from '../src/runtime.ts';
import { BIN, dev, run, temporaryDirectory } from './support/cli.ts';
import { commandTable } from './support/command-table.ts';
import { type Block, blocksOf, README } from './support/readme.ts';

const ROOT = join(import.meta.dirname, '..');
const exec = promisify(execFile);
const BLOCKS = blocksOf(README);

test('every block of the README is run by a test here', () => {
  const kinds = new Set(BLOCKS.map(({ language, mark }) => `${language} ${mark}`.trim()));
  expect([...kinds].sort()).toEqual([
    'bash',
    'bash first',
    'bash start',
    'bash tests',
    'js',
    'js jest',
    'js jestsetup',
    'js node',
    'js playwright',
    'js vitest',
    'json config',
    'text errors',
    'yaml npx',
    'yaml service',
  ]);
});

test('the blocks that send, read and wait do, in their order', async () => {
  const cwd = await temporaryDirectory();
  await mkdir(join(cwd, 'node_modules'));
  await symlink(ROOT, join(cwd, 'node_modules', 'mailcap'));
  await symlink(join(ROOT, 'node_modules', 'nodemailer'), join(cwd, 'node_modules', 'nodemailer'));
  const server = dev([], { cwd });
  const ready = await server.ready();

  const steps = await Promise.all(
    BLOCKS.filter(({ mark }) => mark === '').map(async (block, at) => {
      const text = onPortsOf(ready, block.text);
      if (block.language === 'bash') return text;
      await writeFile(join(cwd, `${at}.mjs`), text);
      return `node ${at}.mjs\n`;
    }),
  );
  // One shell: a block uses what an earlier one set.
  const script = ['set -euo pipefail', ...steps.map((step, at) => `echo "== ${at}"\n${step}\necho`)].join('\n');
  const { stdout } = await exec('bash', ['-c', script], { cwd });
  const [, mailbox, , , message, awaited, , webhook] = stdout.split(/^== \d+\n/m).slice(1);
  expect(JSON.parse(mailbox ?? '')).toMatchObject({ name: 'Sign up', subdomain: 'sign-up' });
  const [list, detail] = (message ?? '').split(/(?<=\])(?=\{)/);
  expect(JSON.parse(list ?? '').map(({ subject }: { subject: string }) => subject)).toEqual([
    'Welcome, Grace',
    'Welcome, Ada',
  ]);
  expect(JSON.parse(detail ?? '')).toMatchObject({ subject: 'Welcome, Grace', envelopeFrom: 'app@example.com' });
  expect(JSON.parse(awaited ?? '')).toMatchObject({ subject: 'Welcome, Grace' });
  const [hook, page] = (webhook ?? '').split(/(?<=\})(?=\{)/);
  expect(JSON.parse(hook ?? '')).toMatchObject({ name: 'Payments', responseStatus: 202 });
  expect(JSON.parse(page ?? '').items).toMatchObject([{ method: 'POST', path: '/orders', responseStatus: 202 }]);
});

test('the block that configures is a configuration', async () => {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'mailcap.config.json'), blockOf('json', 'config').text);
  const config = await loadConfig({}, {}, cwd);
  expect(config).toMatchObject({ limits: 'off', plans: { business: { mailboxes: 5000 } } });
});

test('the first screen: a mail sent, shown, and its code printed', async () => {
  const cwd = await temporaryDirectory();
  const server = dev([], { cwd });
  await server.ready();
  const script = blockOf('bash', 'first').text.replaceAll('node bin/mailcap.js', `${process.execPath} ${BIN}`);
  const { stdout } = await exec('bash', ['-c', `set -euo pipefail\n${script}`], { cwd });
  expect(stdout).toMatch(/^Welcome\n[\s\S]*Code +481516\n[\s\S]*Your code is 481516\.\n481516\n$/);
});

test('the table of commands is made of theirs', () => {
  expect(README).toContain(commandTable(COMMANDS));
});

test('the table of options has a row for each, with its default', () => {
  for (const { flag, default: value } of Object.values(OPTIONS)) {
    const row = README.split('\n').find((line) => line.startsWith('| `--') && line.includes(`\`--${flag}\``));
    expect(row, flag).toBeDefined();
    if (typeof value === 'string' || (typeof value === 'number' && value < 65_536))
      expect(row).toContain(`\`${value}\``);
  }
});

describe('from a fresh clone', () => {
  test('one command installs, builds and starts', { timeout: 180_000 }, async () => {
    const clone = await freshClone();
    const env = { MAILCAP_JSON: '1', MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0', npm_config_prefer_offline: 'true' };
    const shell = run('bash', ['-c', `exec 2>&1; ${blockOf('bash', 'start').text}`], { cwd: clone, env });
    const line = await new Promise<string>((resolve, reject) => {
      let output = '';
      shell.child.stdout?.on('data', (text) => {
        output += text;
        const found = /^\{"event":"ready".*\}$/m.exec(output);
        if (found !== null) resolve(found[0]);
      });
      void shell.exit.then(() => reject(new Error(output)));
    });
    const { url, pid }: Ready = JSON.parse(line);
    onTestFinished(() => endIfAlive(pid));
    expect((await fetch(`${url}/_mailcap/health`)).status).toBe(200);
    process.kill(pid, 'SIGTERM');
    expect((await shell.exit).code).toBe(0);
  });

  test('one command runs all tests: it installs, and hands over to vitest without a filter', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(blockOf('bash', 'tests').text.trim()).toBe('npm ci && npm test');
    expect(scripts.test).toMatch(/\bvitest run$/);
  });
});

function blockOf(language: string, mark: string): Block {
  const block = BLOCKS.find((candidate) => candidate.language === language && candidate.mark === mark);
  if (block === undefined) throw new Error(`the README has no block ${language} ${mark}`);
  return block;
}

/** npm does not end what its script started. */
function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself, as it should.
  }
}

/** The server under test listens on free ports. */
function onPortsOf({ url, smtpPort }: Ready, text: string): string {
  const port = new URL(url).port;
  return text
    .replaceAll('127.0.0.1:8025', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:1025', `127.0.0.1:${smtpPort}`)
    .replaceAll('port: 1025', `port: ${smtpPort}`);
}

/** What a clone of this tree would hold, uncommitted work included. */
async function freshClone(): Promise<string> {
  const clone = await temporaryDirectory();
  const { stdout } = await exec('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of stdout.split('\0')) {
    // Files alone: npm ci would empty what a link called node_modules leads to. A file deleted but not yet committed is not there.
    if (!lstatSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile()) continue;
    await cp(join(ROOT, path), join(clone, path));
  }
  return clone;
}
