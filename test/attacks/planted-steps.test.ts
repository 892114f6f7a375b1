import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { test } from '../support/mailcap.ts';
import { NOT_ROOT, ON_WINDOWS } from '../support/platform.ts';
import { unless } from '../support/unless.ts';
import { built, NOBODY, scriptIn } from './thief.ts';

// The directory that records used TOTP codes is in the shared directory for temporary files, under a name that everybody
// knows.

const NAME = `mailcap-steps-${process.getuid?.()}`;

/** Asks for a code in a process of its own, with this directory for temporary files. */
async function codeWith(url: string, shared: string): Promise<string> {
  const script = `
    import { createClient } from ${built('src/client/index.js')};
    const code = await createClient().authenticator('JBSWY3DPEHPK3PXP').code({ unique: 'machine', minRemaining: 0, timeout: 10_000 });
    console.log(code);`;
  return (await scriptIn(shared, { TMPDIR: shared, MAILCAP_URL: url, MAILCAP_API_KEY: 'svc_live_x' }, script)).stdout;
}

unless(test, ON_WINDOWS)(
  'a link in place of the directory deletes nothing in the directory behind it',
  async ({ mailcap }) => {
    const [shared, photos] = [await temporaryDirectory(), await temporaryDirectory()];
    for (const name of ['20230101.jpg', '1-a', '2024 taxes.pdf']) await writeFile(join(photos, name), 'kept');
    const before = await readdir(photos);
    await symlink(photos, join(shared, NAME));
    expect(await codeWith(mailcap.url, shared)).toMatch(/^\d{6}\n$/);
    expect(await readdir(photos)).toEqual(before);
  },
);

unless(test, ON_WINDOWS)('keeps the files in it that another program wrote', async ({ mailcap }) => {
  const shared = await temporaryDirectory();
  await mkdir(join(shared, NAME), { mode: 0o700 });
  await writeFile(join(shared, NAME, '20230101.jpg'), 'kept');
  await writeFile(join(shared, NAME, `1700000000000-${'a'.repeat(32)}`), '');
  expect(await codeWith(mailcap.url, shared)).toMatch(/^\d{6}\n$/);
  const names = await readdir(join(shared, NAME));
  expect(names).toContain('20230101.jpg');
  // Its own old files go, and the new one comes.
  expect(names).toHaveLength(2);
  expect(names).not.toContain(`1700000000000-${'a'.repeat(32)}`);
});

unless(test, NOT_ROOT).for([
  ['of another user', (path: string) => chown(path, NOBODY, NOBODY)],
  ['that all may write', (path: string) => chmod(path, 0o777)],
] as const)('gets no file and deletes none: a directory %s', async ([_, open], { mailcap }) => {
  const shared = await temporaryDirectory();
  await mkdir(join(shared, NAME));
  await writeFile(join(shared, NAME, `1700000000000-${'a'.repeat(32)}`), '');
  await open(join(shared, NAME));
  expect(await codeWith(mailcap.url, shared)).toMatch(/^\d{6}\n$/);
  expect(await readdir(join(shared, NAME))).toEqual([`1700000000000-${'a'.repeat(32)}`]);
});
