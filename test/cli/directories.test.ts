import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, run, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { NOT_LINUX, NOT_ROOT } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

const ON_FREE_PORTS = ['--port', '0', '--smtp-port', '0'];

unless(test, NOT_LINUX).each([
  ['/proc/x', "can't be created"],
  ['/proc/x/y', "can't be created"],
  ['/dev/full', 'is not a directory'],
  ['/dev/full/x', 'is not a directory'],
  ['file', 'is not a directory'],
  ['dangling', 'is not a directory, but a link to nothing'],
  ['circle', 'is not a directory, but a link to nothing'],
  ['x'.repeat(300), 'name too long'],
])('the data directory %s: dev ends with one sentence and exit code 1, and doctor says the same', async (path, why) => {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'file'), '');
  await symlink(join(cwd, 'nowhere', 'x'), join(cwd, 'dangling'));
  await symlink('circle', join(cwd, 'circle'));
  const started = await command(['dev', '--data-dir', path, ...ON_FREE_PORTS], { cwd });
  expect([started.code, started.stdout]).toEqual([1, '']);
  expect(started.stderr).toMatch(/^mailcap: .+: choose another with --data-dir\.\n$/);
  expect(started.stderr).toContain(why);
  const told = await command(['doctor', '--json', '--data-dir', path, ...ON_FREE_PORTS], { cwd });
  expect(told.code).toBe(1);
  const findings: { check: string; status: string; message: string }[] = JSON.parse(told.stdout);
  expect(findings.find(({ check }) => check === 'Data directory')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining(why),
  });
});

unless(test, NOT_LINUX)('the error of a store that can not be created names --store', async () => {
  const cwd = await temporaryDirectory();
  const { code, stderr } = await command(['dev', '--store', 'file:/proc/x/y', ...ON_FREE_PORTS], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^mailcap: \/proc\/x\/y .+ --store\.\n$/)]);
});

test('a path with a NUL is exit code 2 and names the key', async () => {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'mailcap.config.json'), '{"dataDir":"a\\u0000b"}');
  const { code, stderr } = await command(['dev', ...ON_FREE_PORTS], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^mailcap: dataDir in mailcap\.config\.json: .+NUL.+\n$/)]);
});

unless(test, NOT_ROOT)('a directory that this user may not write to', async () => {
  const cwd = await temporaryDirectory();
  await chmod(cwd, 0o755);
  await mkdir(join(cwd, 'state'), { mode: 0o555 });
  const { code, stderr } = await run(process.execPath, [BIN, 'dev', '--data-dir', 'state', ...ON_FREE_PORTS], {
    cwd,
    ...{ uid: 65_534, gid: 65_534 },
  }).exit;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^mailcap: .+state can't be written by this user: change its permissions.+\n$/),
  ]);
});
