import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../src/store/disk/node-disk.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';

// A cloned repository, or another user of the machine, puts something where the server keeps its state.

const NOBODY = 65_534;
const ON_FREE_PORTS = ['--port', '0', '--smtp-port', '0'];

/** Starts `mailcap dev`, which has to refuse. A start that succeeds would never end, so it has no port to listen on. */
const refusedDev = (cwd: string, more: readonly string[] = []) => command(['dev', ...ON_FREE_PORTS, ...more], { cwd });

/** A project, and beside it a directory with a file of this user that an attacker wants changed. */
async function project() {
  const root = await temporaryDirectory();
  const [cwd, outside] = [join(root, 'project'), join(root, 'outside')];
  await mkdir(cwd);
  await mkdir(outside);
  const precious = join(outside, 'precious');
  await writeFile(precious, 'precious');
  return { cwd, outside, precious, dataDir: join(cwd, '.mailcap') };
}

/** Lets a server make a data directory with a whole store in it. */
async function withStore() {
  const made = await project();
  const server = await serverIn(made.cwd, { ephemeral: false });
  await server.close();
  return made;
}

describe('a link where the server writes: dev refuses it, names it and changes nothing', () => {
  const NAMES = [
    'store/state.json',
    'store/state.json.new',
    'store/state.copy.json.new',
    'store/state.json.damaged',
    'store/lock',
    'store/unfinished-copy',
    'store/segments/reserve',
    'store/segments/00000001.log',
    'store/segments/00000001.idx',
    'store/segments/00000001.idx.new',
    'store/log/00000001.log',
    'credentials.json',
    'tls.pem',
    '.gitignore',
  ];
  unless(test, ON_WINDOWS).each(NAMES)('%s', async (name) => {
    const { cwd, outside, precious, dataDir } = await project();
    const path = join(dataDir, name);
    await mkdir(join(path, '..'), { recursive: true });
    await symlink(precious, path);
    const { code, stdout, stderr } = await refusedDev(cwd);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mailcap: .+ is a link, which mailcap did not make, so it is not opened: .+\n$/);
    expect(stderr).toContain(path);
    expect(await readFile(precious, 'utf8')).toBe('precious');
    expect(await readdir(outside)).toEqual(['precious']);
    expect(await readlink(path)).toBe(precious);
  });

  unless(test, ON_WINDOWS).each(['', 'store', 'store/segments'])('the directory .mailcap/%s', async (name) => {
    const { cwd, outside, dataDir } = await project();
    const path = join(dataDir, name);
    await mkdir(join(path, '..'), { recursive: true });
    await symlink(outside, path);
    const { code, stderr } = await refusedDev(cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${path} is a link`) });
    expect(await readdir(outside)).toEqual(['precious']);
  });

  unless(test, ON_WINDOWS)(
    'a whole store behind a link is refused, also one that the user names, and doctor reports it',
    async () => {
      const { cwd, precious, dataDir } = await withStore();
      const reserve = join(dataDir, 'store', 'segments', 'reserve');
      await rm(reserve, { force: true });
      await symlink(precious, reserve);
      expect(await refusedDev(cwd, ['--data-dir', dataDir])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${reserve} is a link`),
      });
      const { stdout } = await command(['doctor', '--json', ...ON_FREE_PORTS], { cwd });
      const findings: { check: string; message: string }[] = JSON.parse(stdout).findings ?? JSON.parse(stdout);
      expect(findings).toContainEqual(expect.objectContaining({ message: expect.stringContaining('is a link') }));
      expect(await readFile(precious, 'utf8')).toBe('precious');
    },
  );

  unless(test, ON_WINDOWS)('a hard link to a file elsewhere', async () => {
    const { cwd, precious, dataDir } = await project();
    const path = join(dataDir, 'store', 'segments', 'reserve');
    await mkdir(join(path, '..'), { recursive: true });
    await link(precious, path);
    const { code, stderr } = await refusedDev(cwd);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${path} is a file that has another`),
    });
    expect(await readFile(precious, 'utf8')).toBe('precious');
  });

  unless(test, NOT_ROOT)('a file of another user in a directory of this one', async () => {
    const { cwd, dataDir } = await withStore();
    const path = join(dataDir, 'store', 'segments', '00000001.log');
    await chown(path, NOBODY, NOBODY);
    const { code, stderr } = await refusedDev(cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${path} belongs to user 65534`) });
  });
});

test('a hard link within the store is no attack, because a crash may leave one', async () => {
  const { cwd, dataDir } = await withStore();
  const state = join(dataDir, 'store', 'state.json');
  await link(state, `${state}.damaged`);
  const server = await serverIn(cwd, { ephemeral: false });
  expect((await fetch(`${server.ready.url}/_mailcap/health`)).status).toBe(200);
});

unless(test, ON_WINDOWS)(
  'the store follows no link that is made while it runs, and does not wait for a pipe',
  async () => {
    const { cwd, precious } = await project();
    const path = join(cwd, 'x');
    await symlink(precious, path);
    for (const mode of ['read', 'update', 'replace'] as const)
      await expect(nodeDisk.open(path, mode)).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await nodeDisk.stat(path)).toMatchObject({ kind: 'other' });
    const before = (await stat(precious)).mtimeMs;
    await nodeDisk.touch(path, 1_000);
    expect((await stat(precious)).mtimeMs).toBe(before);
    await unlink(path);
    await symlink('/dev/null', join(cwd, 'null'));
    await expect(nodeDisk.open('/dev/null', 'read')).rejects.toMatchObject({ code: 'EINVAL' });
    expect(await readFile(precious, 'utf8')).toBe('precious');
  },
);

describe('a data directory that nobody named', () => {
  const PLACES: [string, (path: string) => Promise<unknown>, RegExp][] = [
    ['of another user', (path) => chown(path, NOBODY, NOBODY), /\.mailcap is not used, because user 65534 owns it: /],
    ['that all may write', (path) => chmod(path, 0o777), /\.mailcap is not used, because every user may write to it: /],
    [
      'in a place for all',
      (path) => chmod(path, 0o1777),
      /\.mailcap is not used, because every user may write to it: /,
    ],
    [
      'that a group may write',
      (path) => chmod(path, 0o770),
      /\.mailcap is not used, because group 0 may write to it: /,
    ],
  ];
  unless(test, NOT_ROOT).each(PLACES)('is not used: one %s', async (_, give, why) => {
    const { cwd, dataDir } = await project();
    await mkdir(dataDir);
    await give(dataDir);
    const { code, stdout, stderr } = await refusedDev(cwd);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(why) });
    expect(await readdir(dataDir)).toEqual([]);
    // A config file may come with the repository, so it names no directory for its user.
    await writeFile(join(cwd, 'mailcap.config.json'), JSON.stringify({ dataDir: '.mailcap' }));
    expect(await refusedDev(cwd)).toMatchObject({ code: 2, stderr: expect.stringMatching(why) });
    // A container mounts such a directory, and names it.
    const server = await serverIn(cwd, { ephemeral: false, dataDir });
    expect(await readdir(dataDir)).toContain('credentials.json');
    await server.close();
  });

  unless(test, ON_WINDOWS)('can be read by its user alone, also if git made it', async () => {
    const { cwd, dataDir } = await project();
    await mkdir(dataDir);
    await chmod(dataDir, 0o755);
    await serverIn(cwd, { ephemeral: false });
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  test('keeps its mode if the user names it', async () => {
    const { cwd, dataDir } = await project();
    await mkdir(dataDir);
    await chmod(dataDir, 0o755);
    await serverIn(cwd, { ephemeral: false, dataDir });
    expect((await stat(dataDir)).mode & 0o777).toBe(0o755);
  });
});

unless(test, NOT_ROOT).each([
  ['of another user', (path: string) => chown(path, NOBODY, NOBODY)],
  ['that all may write', (path: string) => chmod(path, 0o666)],
])('keys and certificates in a named directory are not believed if they are %s', async (_, give) => {
  const { cwd, dataDir } = await project();
  const first = await serverIn(cwd, { ephemeral: false, dataDir, host: '0.0.0.0', starttls: 'on' });
  const kept = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  await first.close();
  const again = await serverIn(cwd, { ephemeral: false, dataDir, host: '0.0.0.0', starttls: 'on' });
  expect(again.ready.apiKey).toBe(kept.apiKey);
  const certificate = await readFile(join(dataDir, 'tls.pem'), 'utf8');
  await again.close();
  for (const name of ['credentials.json', 'tls.pem']) await give(join(dataDir, name));
  const { ready } = await serverIn(cwd, { ephemeral: false, dataDir, host: '0.0.0.0', starttls: 'on' });
  expect(ready.apiKey).not.toBe(kept.apiKey);
  const fresh = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  expect(fresh.apiKey).toBe(ready.apiKey);
  expect(fresh.adminToken).not.toBe(kept.adminToken);
  expect(await readFile(join(dataDir, 'tls.pem'), 'utf8')).not.toBe(certificate);
  for (const name of ['credentials.json', 'tls.pem'])
    expect(await lstat(join(dataDir, name))).toMatchObject({ uid: 0, mode: 0o100600 });
});

describe('the .gitignore of a data directory', () => {
  test('is written where it is missing, also beside other files', async () => {
    const { cwd, dataDir } = await project();
    await mkdir(dataDir, { mode: 0o700 });
    await writeFile(join(dataDir, 'note'), '');
    await serverIn(cwd);
    expect(await readFile(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('comes back in a named directory that holds only the state', async () => {
    const { cwd } = await project();
    const dataDir = join(cwd, 'state');
    await (await serverIn(cwd, { ephemeral: false, dataDir })).close();
    await rm(join(dataDir, '.gitignore'));
    await serverIn(cwd, { ephemeral: false, dataDir });
    expect(await readFile(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('is not written among the files of a project, which git would forget', async () => {
    const { cwd } = await project();
    await writeFile(join(cwd, 'package.json'), '{}');
    await serverIn(cwd, { ephemeral: false, dataDir: cwd });
    expect(await readdir(cwd)).not.toContain('.gitignore');
  });
});
