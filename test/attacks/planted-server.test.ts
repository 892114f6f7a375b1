import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { NOT_LINUX, NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';
import {
  built,
  COMMANDS,
  clientAndFixturesIn,
  everything,
  KEYS_OF_THE_THIEF,
  NOBODY,
  plant,
  SECRETS,
  scriptIn,
  type Thief,
  thief,
} from './thief.ts';

// Another user of the machine, or the author of a repository, writes a server.json that names a server of their own.

/** Expects that each program was told of a file, and that nothing reached the thief. */
async function expectRefusals(cwd: string, { url, got }: Thief, why: RegExp): Promise<void> {
  const { commands, mail, client, fixtures } = await everything(cwd);
  for (const [at, { code, stdout, stderr }] of commands.entries()) {
    expect({ code, stdout }, COMMANDS[at]).toEqual({ code: 4, stdout: '' });
    expect(stderr, COMMANDS[at]).toMatch(/^mailcap: .+server\.json is not believed, because .+\n$/);
    expect(stderr, COMMANDS[at]).toMatch(why);
  }
  expect(mail).toMatchObject({ code: 69, stderr: expect.stringMatching(why) });
  const session = await command(['sendmail', '-bs'], { cwd, env: SECRETS, stdin: 'QUIT\r\n' });
  expect(session).toMatchObject({ code: 69, stdout: '421 4.3.2 No mailcap server was found\r\n' });
  const error = { code: 'server_refused', message: expect.stringMatching(why) };
  expect(client).toEqual([error, error]);
  expect(fixtures.url).not.toBe(url);
  expect(fixtures.stderr).toMatch(why);
  expect(fixtures.stderr).toContain('The tests start a server of their own.');
  expect(got).toEqual([]);
}

/** Expects that each program says that no server runs, and that nothing reached the thief. */
async function expectNone(cwd: string, { url, got }: Thief): Promise<void> {
  const { commands, mail, client, fixtures } = await everything(cwd);
  for (const [at, { code, stderr }] of commands.entries())
    expect({ code, stderr }, COMMANDS[at]).toEqual({ code: 4, stderr: expect.stringContaining('no server runs in') });
  expect(mail).toMatchObject({ code: 69, stderr: expect.stringContaining('no server was found') });
  expect(client).toMatchObject([{ code: 'no_server' }, { code: 'no_server' }]);
  expect(fixtures).toEqual({ url: expect.not.stringContaining(url), stderr: '' });
  expect(got).toEqual([]);
}

describe('a server.json of another user', () => {
  const PLACES: [string, (file: string) => Promise<unknown>, RegExp][] = [
    ['the file of another user', (file) => chown(file, NOBODY, NOBODY), /because user 65534 owns it/],
    [
      'in the directory of another user',
      (file) => chown(join(file, '..'), NOBODY, NOBODY),
      /its directory: user 65534/,
    ],
    ['that all may write', (file) => chmod(file, 0o666), /every user may write to it/],
    ['in a directory that all may write', (file) => chmod(join(file, '..'), 0o777), /its directory: every user may/],
  ];
  unless(test, NOT_ROOT).each(byDay(PLACES, (_, at) => at < 2))('is not believed: %s', async (_, give, why) => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    await give(await plant(cwd, there));
    await expectRefusals(cwd, there, why);
  });

  unless(test, NOT_ROOT)('is not read above the root of the project', async () => {
    const shared = await temporaryDirectory();
    const there = await thief();
    const file = await plant(shared, there);
    await chown(join(file, '..'), NOBODY, NOBODY);
    // Neither a directory that is no project, nor a repository, nor the project in an image without its repository.
    const [plain, repository, image] = [join(shared, 'a', 'b'), join(shared, 'c', 'src'), join(shared, 'd', 'src')];
    for (const path of [plain, repository, image]) await mkdir(path, { recursive: true });
    await mkdir(join(shared, 'c', '.git'));
    await writeFile(join(shared, 'd', 'package.json'), '{}');
    for (const cwd of [plain, repository, image]) {
      expect((await command(['status'], { cwd })).stderr).toContain('no server runs in');
      expect((await command(['sendmail', 'ada@x.test'], { cwd })).code).toBe(69);
    }
    const { client } = await clientAndFixturesIn(plain, SECRETS);
    expect(client).toMatchObject([{ code: 'no_server' }, { code: 'no_server' }]);
    expect(there.got).toEqual([]);
  });

  unless(test, NOT_ROOT)('is not believed where the user names its directory', async () => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    const file = await plant(cwd, there);
    await chown(file, NOBODY, NOBODY);
    const dataDir = join(file, '..');
    for (const args of [['status'], ['messages', 'list'], ['health']])
      for (const [more, env] of [
        [['--data-dir', dataDir], {}],
        [[], { MAILCAP_DATA_DIR: dataDir }],
      ] as const)
        expect(await command([...args, ...more], { cwd, env: { ...SECRETS, ...env } })).toMatchObject({
          code: 4,
          stderr: expect.stringContaining('user 65534 owns it'),
        });
    expect(await command(['sendmail', '--data-dir', dataDir, 'a@x.test'], { cwd })).toMatchObject({ code: 69 });
    expect(there.got).toEqual([]);
  });

  unless(test, ON_WINDOWS)(
    'delays no command if it is a pipe, and leads to no other file if it is a link',
    async () => {
      const cwd = await temporaryDirectory();
      await mkdir(join(cwd, '.mailcap'), { mode: 0o700 });
      const file = join(cwd, '.mailcap', 'server.json');
      await promisify(execFile)('mkfifo', [file]);
      expect(await command(['status'], { cwd })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('it is no file'),
      });
      const [other, there] = [await temporaryDirectory(), await thief()];
      const real = await plant(other, there);
      await promisify(execFile)('rm', [file]);
      await symlink(real, file);
      expect(await command(['status'], { cwd })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('it is no file'),
      });
      expect(there.got).toEqual([]);
    },
  );

  unless(test, NOT_ROOT)('does not keep a server of this user from being found', async () => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    await plant(cwd, there, { pid: 1, processStart: null });
    const { url } = await serverIn(cwd);
    expect(JSON.parse((await command(['env', '--json'], { cwd })).stdout).MAILCAP_URL).toBe(url);
    expect(there.got).toEqual([]);
  });
});

describe('a server.json in a cloned repository', () => {
  const PROCESSES: [string, object][] = [
    ['of pid 1', { pid: 1 }],
    ['of pid 1, as if the system told no start', { pid: 1, processStart: null }],
    ['of a process that runs, with another start', { processStart: '3f1c9f0e-8d7c-4d0e-9d52-1a2b3c4d5e6f 1' }],
    ['of a process that has ended', { pid: 2 ** 22 + 1 }],
    ['of a group of processes', { pid: 0 }],
    ['of all processes', { pid: -1 }],
  ];
  unless(test, NOT_LINUX).each(byDay(PROCESSES, (_, at) => at < 2))('is ignored: %s', async (_, changes) => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    await plant(cwd, there, changes);
    await expectNone(cwd, there);
  });

  const ELSEWHERE: [string, object][] = [
    ['an address of another machine', { url: 'http://192.0.2.1:8025' }],
    ['a name', { url: 'https://mail.example.com' }],
    ['loopback in the name of a user', { url: 'http://127.0.0.1:80@192.0.2.1/' }],
    ['loopback in a name', { url: 'http://127.0.0.1.example.com' }],
    ['all addresses', { url: 'http://0.0.0.0:8025' }],
    ['another API', { apiUrl: 'http://192.0.2.1/v1' }],
    ['another feed', { feedUrl: 'ws://192.0.2.1/_mailcap/feed' }],
    ['another SMTP server', { smtpUrl: 'smtp://192.0.2.1:25' }],
    ['another SMTP host', { smtpHost: '192.0.2.1' }],
    ['another SMTPS server', { smtpsUrl: 'smtps://192.0.2.1:465' }],
    ['another IMAP server', { imapUrl: 'imap://192.0.2.1:143' }],
    ['another POP3 server', { pop3Url: 'pop3://192.0.2.1:110' }],
    ['no URL', { url: 'here' }],
  ];
  test.each(ELSEWHERE)('is not believed with %s', async (_, changes) => {
    const cwd = await temporaryDirectory();
    await plant(cwd, await thief(), changes);
    for (const line of ['status', 'messages list', 'env'])
      expect(await command(line.split(' '), { cwd, env: SECRETS })).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining('is no address of this machine'),
      });
    expect(await command(['sendmail', 'ada@x.test'], { cwd, env: SECRETS })).toMatchObject({ code: 69 });
  });

  test('is reported if a server of another version may run there', async () => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    await plant(cwd, there, { processStart: undefined });
    await expectRefusals(cwd, there, /this version writes another content/);
  });
});

describe('the secrets of the environment', () => {
  test('go to no server that was found: it gets its own key and token', async () => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    // Even a file that this user's program wrote.
    await plant(cwd, there);
    const { commands } = await everything(cwd);
    expect(there.got.length).toBeGreaterThan(COMMANDS.length);
    for (const secret of Object.values(SECRETS)) expect(there.got.join('\n')).not.toContain(secret);
    expect(there.got.join('\n')).toContain(KEYS_OF_THE_THIEF.apiKey);
    expect(commands[COMMANDS.indexOf('env')]?.stdout).not.toMatch(/secret|admin-token/);
  });

  test('go to the server of MAILCAP_URL, and not to one that an option names instead', async () => {
    const cwd = await temporaryDirectory();
    const [theirs, other] = [await thief(), await thief()];
    const env = { ...SECRETS, MAILCAP_URL: theirs.url };
    for (const line of ['messages list', 'reset --yes']) {
      await command(line.split(' '), { cwd, env });
      await command([...line.split(' '), '--url', other.url], { cwd, env });
      await command([...line.split(' '), '--url', other.url, '--api-key', 'svc_live_given'], { cwd, env });
    }
    await scriptIn(
      cwd,
      env,
      `
      import { createClient } from ${built('src/client/index.js')};
      const client = createClient({ baseUrl: ${JSON.stringify(other.url)}, apiKey: 'svc_live_given' });
      await client.listMailboxes().catch(() => {});
      await client.local.getInfo().catch(() => {});`,
    );
    for (const secret of Object.values(SECRETS)) {
      expect(theirs.got.join('\n')).toContain(secret);
      expect(other.got.join('\n')).not.toContain(secret);
    }
    expect(other.got.join('\n')).toContain('svc_live_given');
  });

  test('go to the server that an option names, where the environment names none', async () => {
    const cwd = await temporaryDirectory();
    const there = await thief();
    await command(['messages', 'list', '--url', there.url], { cwd, env: SECRETS });
    expect(there.got.join('\n')).toContain(SECRETS.MAILCAP_API_KEY);
  });

  test('that are not used are named in a warning', async () => {
    const cwd = await temporaryDirectory();
    const { url, apiKey } = await serverIn(cwd);
    const other = await command(['messages', 'list'], { cwd, env: SECRETS });
    expect(other).toMatchObject({ code: 0, stderr: expect.stringContaining('MAILCAP_API_KEY is not used') });
    expect(other.stderr).toContain(url);
    const same = await command(['messages', 'list'], { cwd, env: { MAILCAP_API_KEY: apiKey } });
    expect(same.stderr).not.toContain('MAILCAP_API_KEY');
  });
});

unless(test, NOT_ROOT)('a server overwrites no file that its data directory holds a link to', async () => {
  const cwd = await temporaryDirectory();
  const precious = join(cwd, 'precious');
  await writeFile(precious, 'kept');
  await mkdir(join(cwd, '.mailcap'));
  for (const name of ['server.json', 'credentials.json'])
    await symlink(precious, join(cwd, '.mailcap', `${name}.${process.pid}`));
  await serverIn(cwd, { ephemeral: false });
  expect(await readFile(precious, 'utf8')).toBe('kept');
});
