import { chmod, chown, lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, run, temporaryDirectory } from '../support/cli.ts';
import { NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

const NOBODY = 65_534;

/**
 * Runs mailcap with a home directory and returns the directories that it gives to Node's compile cache. Node 20 has no
 * such cache, so the process gets one that tells what it is given.
 */
async function cachesIn(home: string): Promise<unknown[]> {
  const tells =
    "import m from 'node:module'; m.enableCompileCache = (...given) => console.error('CACHE', JSON.stringify(given));";
  const importing = `data:text/javascript,${encodeURIComponent(tells)}`;
  const { exit } = run(process.execPath, ['--import', importing, BIN, '--version'], {
    cwd: home,
    env: { HOME: home, TMPDIR: home },
  });
  const { code, stderr } = await exit;
  expect(code).toBe(0);
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('CACHE '))
    .map((line) => JSON.parse(line.slice('CACHE '.length)));
}

test('the compile cache is in a directory of the user that nobody else can write to', async () => {
  const home = await temporaryDirectory();
  const cache = join(home, '.cache', 'mailcap', 'compiled');
  expect(await cachesIn(home)).toEqual([[cache]]);
  expect((await lstat(cache)).mode & 0o777).toBe(0o700);
  expect(await cachesIn(home)).toEqual([[cache]]);
});

unless(test, ON_WINDOWS)('no code is taken from a cache that others can write to', async () => {
  const home = await temporaryDirectory();
  const cache = join(home, '.cache', 'mailcap', 'compiled');
  await mkdir(cache, { recursive: true });
  for (const open of [cache, join(home, '.cache', 'mailcap'), join(home, '.cache'), home]) {
    await chmod(open, 0o777);
    expect(await cachesIn(home), open).toEqual([]);
    await chmod(open, 0o700);
  }
  expect(await cachesIn(home)).toEqual([[cache]]);
});

unless(test, ON_WINDOWS)('no code is taken from a cache that a link replaces', async () => {
  const [home, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
  await mkdir(join(elsewhere, 'compiled'));
  await mkdir(join(home, '.cache'));
  await symlink(elsewhere, join(home, '.cache', 'mailcap'));
  expect(await cachesIn(home)).toEqual([]);
});

unless(test, NOT_ROOT)('no code is taken from a cache that another user made first', async () => {
  const home = await temporaryDirectory();
  const cache = join(home, '.cache', 'mailcap', 'compiled');
  await mkdir(cache, { recursive: true });
  for (const theirs of [cache, join(home, '.cache')]) {
    await chown(theirs, NOBODY, NOBODY);
    expect(await cachesIn(home), theirs).toEqual([]);
    await chown(theirs, 0, 0);
  }
});
