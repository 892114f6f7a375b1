import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processStart, startByPs } from '../../src/process-start.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { NOT_LINUX, NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';
import { built, COMMANDS, everything, NOBODY, scriptIn } from './thief.ts';

// What guards against the servers of others leaves the servers of this user to be found.

describe('a server of this user is found', () => {
  test('by the commands, the client and the fixtures, with its own admin token', async () => {
    const cwd = await temporaryDirectory();
    const server = await serverIn(cwd, { host: '0.0.0.0' });
    const { commands, mail, fixtures } = await everything(cwd, {});
    expect(commands.map(({ code }) => code)).toEqual(COMMANDS.map(() => 0));
    expect(mail).toMatchObject({ code: 0, stderr: '' });
    expect(commands[COMMANDS.indexOf('env')]?.stdout).toContain(`MAILCAP_ADMIN_TOKEN=${server.adminToken}\n`);
    expect(fixtures).toEqual({ url: server.url, stderr: '' });
  });

  const ROOTS: [string, (root: string) => Promise<unknown>][] = [
    ['in a repository', (root) => mkdir(join(root, '.git'))],
    ['in a worktree', (root) => writeFile(join(root, '.git'), 'gitdir: /x/modules/y/.git/worktrees/z\n')],
    [
      'in a project without a repository',
      (root) => writeFile(join(root, 'package.json'), '{"workspaces":["packages/*"]}'),
    ],
    [
      'above a submodule',
      async (root) => {
        await mkdir(join(root, '.git'));
        await writeFile(join(root, 'packages', '.git'), 'gitdir: ../.git/modules/packages\n');
      },
    ],
  ];
  test.each(ROOTS)('at the root of the project from a package of it: %s', async (_, mark) => {
    const root = await temporaryDirectory();
    const cwd = join(root, 'packages', 'a');
    await mkdir(cwd, { recursive: true });
    await writeFile(join(cwd, 'package.json'), '{}');
    await mark(root);
    const { url } = await serverIn(root);
    expect(JSON.parse((await command(['env', '--json'], { cwd })).stdout)).toMatchObject({ MAILCAP_URL: url });
  });

  test('in the home directory from below it', async () => {
    const home = await temporaryDirectory();
    const cwd = join(home, 'a', 'b');
    await mkdir(cwd, { recursive: true });
    const { url } = await serverIn(home);
    const script = `
      import { createClient } from ${built('src/client/index.js')};
      console.log((await createClient().server()).url);`;
    expect((await scriptIn(cwd, { HOME: home, USERPROFILE: home }, script)).stdout.trim()).toBe(url);
    await expect(scriptIn(cwd, { HOME: join(home, 'a') }, script)).rejects.toThrow('No mailcap server was found');
  });

  test('at its address on this machine behind a balancer, without its public one', async () => {
    const cwd = await temporaryDirectory();
    const server = await serverIn(cwd, { publicUrl: 'https://mail.example.com', publicSmtp: 'mail.example.com:25' });
    expect(server.ready.url).toBe('https://mail.example.com');
    const { code, stdout } = await command(['env', '--json'], { cwd });
    const { MAILCAP_URL, MAILCAP_SMTP_HOST, MAILCAP_WEBHOOK_BASE_URL } = JSON.parse(stdout);
    expect({ code, MAILCAP_SMTP_HOST, MAILCAP_WEBHOOK_BASE_URL }).toEqual({
      code: 0,
      MAILCAP_SMTP_HOST: '127.0.0.1',
      MAILCAP_WEBHOOK_BASE_URL: 'https://mail.example.com/hooks',
    });
    expect(MAILCAP_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await command(['status'], { cwd })).code).toBe(0);
    expect((await command(['sendmail', 'ada@x.test'], { cwd, stdin: 'Subject: x\n\nx\n' })).code).toBe(0);
  });

  unless(test, NOT_ROOT)('in a shared directory that the user names, as in the volume of a container', async () => {
    const cwd = await temporaryDirectory();
    const volume = join(cwd, 'volume');
    await mkdir(volume);
    await chown(volume, NOBODY, NOBODY);
    await chmod(volume, 0o777);
    await serverIn(cwd, { dataDir: 'volume' });
    expect(await command(['health'], { cwd, env: { MAILCAP_DATA_DIR: volume } })).toMatchObject({ code: 0 });
    expect(await command(['status', '--data-dir', volume], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('the start of a process', () => {
  unless(test, NOT_LINUX)('is that of /proc, differs between processes, and is unknown after the end', async () => {
    const own = processStart(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(processStart(1)).not.toBe(own);
    expect(processStart(2 ** 22 + 1)).toBeNull();
  });

  unless(test, ON_WINDOWS)('is asked of ps elsewhere', () => {
    expect(startByPs(process.pid)).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(startByPs(process.pid)).toBe(startByPs(process.pid));
    expect(startByPs(2 ** 22 + 1)).toBeNull();
  });
});
