import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ready } from '../src/runtime.ts';
import { BIN, run, temporaryDirectory } from './support/cli.ts';
import { IS_NIGHT } from './support/night.ts';
import { pathWithNpx } from './support/npx.ts';
import { blockOf, ROOT, readPage } from './support/pages.ts';
import { lacking } from './support/programs.ts';
import { serverIn } from './support/server-in.ts';
import { unless } from './support/unless.ts';

const README = readPage('README.md');
const exec = promisify(execFile);

test('it has 900 words at most, and no more than eight lines for CI', () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(blockOf('README.md', 'ci').trim().split('\n').length).toBeLessThanOrEqual(8);
});

unless(test, lacking('bash') ?? lacking('curl'))(
  'the first screen: a mail sent, shown, its code printed; and a script waits for the code of the next mail, not for an older one',
  async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'node_modules', '.bin'), { recursive: true });
    await symlink(BIN, join(cwd, 'node_modules', '.bin', 'mailcap'));
    const { url } = await serverIn(cwd, { ephemeral: false });
    // An app answers before its mail is sent. This one sends it when the script waits, and an older code is there by then.
    const waits = `curl -s ${url}/_mailcap/waits`;
    const signUp = `#!/bin/sh
      (
        for try in $(seq 200); do [ "$(${waits})" = '[]' ] || break; sleep 0.1; done
        printf 'To: %s\\n\\nYour code is 902817.\\n' "$1" | npx mailcap sendmail "$1"
      ) >sent 2>&1 &`;
    await writeFile(join(cwd, 'sign-up.sh'), signUp, { mode: 0o755 });
    const script = `set -euo pipefail\n${blockOf('README.md', 'first')}\n${blockOf('README.md', 'shell')}\necho "code=$code"`;
    const env = { ...process.env, PATH: await pathWithNpx(cwd) };
    const { stdout } = await exec('bash', ['-c', script], { cwd, env });
    expect(stdout).toMatch(/^Welcome\n[\s\S]*Code +481516\n[\s\S]*Your code is 481516\.\n481516\ncode=902817\n$/);
  },
  180_000,
);

test('each setting of its table of frameworks stands in the lines to copy', () => {
  const [, table = ''] = /\| Framework \|.*\n\|[ -|]*\n((?:\|.*\n)+)/.exec(README) ?? [];
  const settings = [...table.matchAll(/`([^`]+)`/g)].map(([, setting = '']) => setting);
  const copied = readPage('docs/send-mail.md');
  expect(settings.length).toBeGreaterThan(8);
  expect(settings.filter((setting) => !copied.includes(setting))).toEqual([]);
});

describe('from a fresh clone', () => {
  // By day .ci/run is what installs and builds, from a fresh clone and by the README's command.
  if (IS_NIGHT) {
    test('one command installs, builds and starts', { timeout: 600_000 }, async () => {
      const clone = await freshClone();
      const env = { MAILCAP_JSON: '1', MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0', npm_config_prefer_offline: 'true' };
      const shell = run('bash', ['-c', `exec 2>&1; ${blockOf('README.md', 'start')}`], { cwd: clone, env });
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
  }

  test('one command runs all tests: it installs, and hands over to vitest without a filter', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(blockOf('README.md', 'tests').trim()).toBe('npm ci && npm test');
    expect(scripts.test).toMatch(/\bvitest run$/);
  });
});

/** Ends a process that npm left running, because npm does not end the process of its script. */
function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself, as it should.
  }
}

/** Copies the files that a clone would have, including uncommitted changes. */
async function freshClone(): Promise<string> {
  const clone = await temporaryDirectory();
  const { stdout } = await exec('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of stdout.split('\0')) {
    // Only files are copied. `npm ci` would empty the directory that a link called node_modules leads to. A file that
    // is deleted but not committed is missing.
    if (!lstatSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile()) continue;
    await cp(join(ROOT, path), join(clone, path));
  }
  return clone;
}
