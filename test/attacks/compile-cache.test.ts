import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

/** The bytecode that mailcap keeps by itself, because Node 20 keeps none. */
describe.skipIf('enableCompileCache' in module)('what Node 20 keeps', () => {
  const version = async (home: string) =>
    expect(await run(process.execPath, [BIN, '--version'], { cwd: home, env: { HOME: home } }).exit).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  const kept = async (home: string) => {
    const cache = join(home, '.cache', 'mailcap', 'compiled');
    const files = (await readdir(cache, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name)).sort();
  };
  const facts = (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs, bytes: await readFile(path) })));

  test('is the bytecode of each part, which nobody else can read, and a second process runs it', async () => {
    const home = await temporaryDirectory();
    await version(home);
    const paths = await kept(home);
    expect(paths.filter((path) => path.endsWith('main.cjs'))).toHaveLength(1);
    for (const path of paths) expect((await lstat(path)).mode & 0o077, path).toBe(0);
    const first = await facts(paths);
    await version(home);
    expect(await facts(await kept(home))).toEqual(first);
  });

  test.each([
    ['a flipped bit', (bytes: Buffer) => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1)],
    ['half a file', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['an empty file', () => Buffer.alloc(0)],
    ['the bytecode of another source', (bytes: Buffer) => bytes.with(0, (bytes[0] ?? 0) ^ 1)],
  ])('is compiled again after %s', async (_, damage) => {
    const home = await temporaryDirectory();
    await version(home);
    const whole = await facts(await kept(home));
    for (const { path, bytes } of whole) await writeFile(path, damage(bytes));
    await version(home);
    for (const { path, at } of await facts(await kept(home))) {
      expect((await readFile(path)).readUInt32LE(0), path).toBe(
        whole.find((one) => one.path === path)?.bytes.readUInt32LE(0),
      );
      expect(at).toBeGreaterThan(whole.find((one) => one.path === path)?.at ?? Number.POSITIVE_INFINITY);
    }
  });

  test('is that of eight installs', async () => {
    const home = await temporaryDirectory();
    const cache = join(home, '.cache', 'mailcap', 'compiled');
    for (let n = 0; n < 12; n++) await mkdir(join(cache, `old-${n}`), { recursive: true, mode: 0o700 });
    await chmod(join(home, '.cache'), 0o700);
    await chmod(join(home, '.cache', 'mailcap'), 0o700);
    await chmod(cache, 0o700);
    await version(home);
    expect(await readdir(cache)).toHaveLength(8);
    expect(await kept(home)).not.toEqual([]);
  });

  test('is nothing where the directory can not be written, and a start works', async () => {
    const home = await temporaryDirectory();
    await writeFile(join(home, '.cache'), 'a file');
    await version(home);
    expect(await readFile(join(home, '.cache'), 'utf8')).toBe('a file');
  });
});
