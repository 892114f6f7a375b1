import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';

/** A cloned repository with files, and a directory outside of it that its author wants to write. */
async function cloned(files: Readonly<Record<string, string>> = {}) {
  const directory = await temporaryDirectory();
  const [repository, outside] = [join(directory, 'repository'), join(directory, 'outside')];
  for (const path of [outside, repository]) await mkdir(path, { recursive: true });
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: repository });
  await git('init', '-q');
  // A repository on GitHub gets a workflow.
  await git('remote', 'add', 'origin', 'https://github.com/a/b.git');
  const manifest = { name: 'cloned', private: true, type: 'module', devDependencies: { vitest: '^4.1.0' } };
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(join(repository, path, '..'), { recursive: true });
    await writeFile(join(repository, path), text);
  }
  return { repository, outside };
}

const init = (cwd: string) => command(['init', '--yes', '--skip-install'], { cwd });

async function textsIn(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const texts = names.map(async ({ parentPath, name }) => [name, await readFile(join(parentPath, name), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

test.each([
  ['the directory of the tests', 'test', {}],
  ['the directory of the workflows', '.github/workflows', {}],
  ['the directory above the workflows', '.github', {}],
])('init writes nothing through a link out of the project: %s', async (_, link) => {
  const { repository, outside } = await cloned();
  await mkdir(join(repository, link, '..'), { recursive: true });
  await symlink(outside, join(repository, link));
  const before = await textsIn(repository);
  const { code, stderr } = await init(repository);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/leads out of the project, to .*: init writes nothing there\. Nothing was changed\./),
  });
  expect(await readdir(outside)).toEqual([]);
  expect(await textsIn(repository)).toEqual(before);
});

test('init edits no file outside of the project that package.json is a link to', async () => {
  const { repository, outside } = await cloned();
  const text = await readFile(join(repository, 'package.json'), 'utf8');
  const real = join(outside, 'package.json');
  await writeFile(real, text);
  const linked = join(repository, 'packages', 'linked');
  await mkdir(linked, { recursive: true });
  await symlink(real, join(linked, 'package.json'));
  const { code, stderr } = await command(['init', '--yes'], { cwd: linked });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('leads out of the project') });
  expect(await textsIn(outside)).toEqual({ 'package.json': text });
});

test('init refuses a link that leads nowhere, before it writes anything', async () => {
  const { repository, outside } = await cloned();
  await symlink(join(outside, 'absent'), join(repository, 'test'));
  expect(await init(repository)).toMatchObject({ code: 1, stderr: expect.stringContaining('leads nowhere') });
  expect(await readdir(outside)).toEqual([]);
});

test('init follows a link inside the project', async () => {
  const { repository } = await cloned();
  await mkdir(join(repository, 'all-tests'));
  await symlink('all-tests', join(repository, 'test'));
  expect(await init(repository)).toMatchObject({ code: 0 });
  expect(await readdir(join(repository, 'all-tests'))).toEqual(['mailcap.test.js']);
});

test('init changes a file through no link that lies beside it', async () => {
  const { repository, outside } = await cloned();
  await symlink(join(outside, 'package.json'), join(repository, 'package.json.mailcap-init'));
  const { code } = await command(['init', '--yes', '--skip-install', '--runner', 'node'], { cwd: repository });
  expect(code).toBe(0);
  expect(await readFile(join(repository, 'package.json'), 'utf8')).toContain('node --test');
  expect(await readdir(outside)).toEqual([]);
});
