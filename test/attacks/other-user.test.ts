import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

// Another user of the machine, or the author of a repository, puts files where this user works.

const NOBODY = 65_534;

/** The text of a config file that writes the file `ran` when it runs, and that keeps a server from starting. */
function programThatTells(marker: string): string {
  return `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(marker)}, '');
    export default { port: 'none' };`;
}

describe('a config file that is a program', () => {
  const READERS = ['status', 'env', 'messages list', 'health', 'health --port 1', 'doctor', 'inbox', 'totp list'];
  test.each(READERS)('is not run by mailcap %s', async (line) => {
    const cwd = await temporaryDirectory();
    const marker = join(cwd, 'ran');
    await writeFile(join(cwd, 'mailcap.config.mjs'), programThatTells(marker));
    const { code, stderr } = await command(line.split(' '), { cwd });
    expect(code, stderr).not.toBe(2);
    expect(existsSync(marker)).toBe(false);
  });

  test('is not run by sendmail, which a mail program calls in any directory', async () => {
    const cwd = await temporaryDirectory();
    const marker = join(cwd, 'ran');
    await writeFile(join(cwd, 'mailcap.config.js'), programThatTells(marker));
    await chmod(cwd, 0o1777);
    expect(await mailcap(['sendmail', '-i', 'ada@x.test'], { cwd }).exit).toMatchObject({ code: 69 });
    expect(existsSync(marker)).toBe(false);
  });

  const PLACES: [string, (cwd: string) => Promise<unknown>, RegExp][] = [
    ['that all may write', (cwd) => chmod(join(cwd, 'mailcap.config.mjs'), 0o666), /every user may write to it/],
    ['that a group may write', (cwd) => chmod(join(cwd, 'mailcap.config.mjs'), 0o664), /group \d+ may write to it/],
    ['in a directory for all', (cwd) => chmod(cwd, 0o1777), /directory of .+: every user may write to it/],
    ['of another user', (cwd) => chown(join(cwd, 'mailcap.config.mjs'), NOBODY, NOBODY), /user 65534 owns it/],
    ['in the directory of another user', (cwd) => chown(cwd, NOBODY, NOBODY), /directory of .+: user 65534 owns it/],
  ];
  unless(test, NOT_ROOT).each(PLACES)('is not run by dev: a file %s', async (_, open, why) => {
    const cwd = await temporaryDirectory();
    const marker = join(cwd, 'ran');
    await writeFile(join(cwd, 'mailcap.config.mjs'), programThatTells(marker));
    await open(cwd);
    const { code, stdout, stderr } = await command(['dev'], { cwd });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(why) });
    expect(stderr).toMatch(/^mailcap: mailcap\.config\.mjs is not read, .+\n$/);
    expect(existsSync(marker)).toBe(false);
  });

  unless(test, ON_WINDOWS)('is not run by dev behind a link to a directory for all', async () => {
    const [cwd, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const marker = join(cwd, 'ran');
    await writeFile(join(elsewhere, 'config.mjs'), programThatTells(marker));
    await chmod(elsewhere, 0o1777);
    await symlink(join(elsewhere, 'config.mjs'), join(cwd, 'mailcap.config.mjs'));
    expect(await command(['dev'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('every user may write'),
    });
    expect(existsSync(marker)).toBe(false);
  });

  test('leaves no compiled code in the shared directory for temporary files', async () => {
    const [cwd, shared] = [await temporaryDirectory(), await temporaryDirectory()];
    const marker = join(cwd, 'ran');
    await writeFile(join(cwd, 'mailcap.config.ts'), programThatTells(marker));
    const { stderr } = await mailcap(['dev'], { cwd, env: { TMPDIR: shared } }).exit;
    expect(stderr).toMatch(/^mailcap: port in mailcap\.config\.ts: /);
    expect(existsSync(marker)).toBe(true);
    expect(await readdir(shared)).toEqual([]);
  });
});

unless(test, NOT_ROOT)('JSON of another user is not read either', async () => {
  const cwd = await temporaryDirectory();
  await mkdir(join(cwd, 'theirs'));
  await writeFile(join(cwd, 'mailcap.config.json'), JSON.stringify({ dataDir: join(cwd, 'theirs') }));
  await chown(join(cwd, 'mailcap.config.json'), NOBODY, NOBODY);
  for (const args of [['dev'], ['status'], ['doctor']])
    expect(await command(args, { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('user 65534 owns it'),
    });
  // Mail programs call sendmail in any directory, so it reads no config file at all.
  expect(await command(['sendmail', 'ada@x.test'], { cwd })).toMatchObject({ code: 69 });
});
