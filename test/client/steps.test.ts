import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryDirectory } from '../support/cli.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MINUTE_MS = 60_000;

/** Runs steps one after another in a process whose temporary files are in `directory`. */
async function take(directory: string, ...steps: readonly (readonly [key: string, expiresAt: number])[]) {
  const program = `
    import { takeStep } from './dist/src/client/authenticator/authenticator.js';
    const answers = [];
    for (const [key, end] of ${JSON.stringify(steps)}) answers.push(await takeStep(key, end));
    console.log(JSON.stringify(answers));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    env: { TMPDIR: directory },
  }).exit;
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('one of several processes that ask at the same time for the same step gets it', async () => {
  const directory = await temporaryDirectory();
  const end = Date.now() + MINUTE_MS;
  const answers = await Promise.all(Array.from({ length: 6 }, () => take(directory, ['secret A', end])));
  expect(answers.flat().filter((isTaken) => isTaken)).toHaveLength(1);
}, 180_000);

test('another secret or another step is free', async () => {
  const directory = await temporaryDirectory();
  const end = Date.now() + MINUTE_MS;
  expect(await take(directory, ['secret A', end], ['secret A', end])).toEqual([true, false]);
  expect(await take(directory, ['secret A', end], ['secret B', end], ['secret A', end + 30_000])).toEqual([
    false,
    true,
    true,
  ]);
}, 180_000);

test('the record has no secret, and keeps nothing longer than needed', async () => {
  const directory = await temporaryDirectory();
  await take(directory, ['secret ABCDEFGH', Date.now() + MINUTE_MS]);
  const [own = ''] = await readdir(directory);
  const files = await readdir(join(directory, own));
  expect(files).toHaveLength(1);
  expect(files.join()).not.toContain('ABCDEFGH');
  await writeFile(join(directory, own, `${Date.now() - 11 * MINUTE_MS}-${'0123'.repeat(8)}`), '');
  await take(directory, ['secret B', Date.now() + MINUTE_MS]);
  expect((await readdir(join(directory, own))).filter((name) => name.endsWith(`-${'0123'.repeat(8)}`))).toEqual([]);
}, 180_000);

test('with a moved clock a step is given once in a process, and again in the next process', async () => {
  const directory = await temporaryDirectory();
  const end = Date.parse('2001-01-01T00:00:30Z');
  expect(await take(directory, ['secret A', end], ['secret A', end])).toEqual([true, false]);
  expect(await take(directory, ['secret A', end])).toEqual([true]);
  expect(await readdir(directory)).toEqual([]);
}, 180_000);

test('if no file can be written, each process remembers its own steps', async () => {
  const directory = join(await temporaryDirectory(), 'file');
  await writeFile(directory, 'no directory');
  const end = Date.now() + MINUTE_MS;
  expect(await take(directory, ['secret A', end], ['secret A', end])).toEqual([true, false]);
}, 180_000);
