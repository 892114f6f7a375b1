import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { byDay, IS_NIGHT } from '../support/night.ts';
import { onceInRun } from '../support/once-in-run.ts';
import { packed } from '../support/packed.ts';
import { ROOT } from '../support/pages.ts';

// Compiles a program that imports every entry point of the package, as projects with other settings and compilers do.

const exec = promisify(execFile);
const COMPILERS = { 6: 'typescript', 7: 'typescript-7' } as const;
/** Compilers that npm fetches, at night. 5.2 is the oldest that reads the types. */
const OLDER = ['5.2', '5.5', '5.9'];
/** The newest release of that night, which no file of this repository names. */
const NEWEST = 'latest';
const TYPES = ['@playwright', 'playwright', 'playwright-core', 'vitest', '@vitest', 'testcontainers', '@types/node'];
const PROGRAM = `import { createMailcap, type Mailcap } from 'mailcap';
import { type Client, createClient, MailcapError } from 'mailcap/client';
import { mailcap as cypress } from 'mailcap/cypress';
import * as jest from 'mailcap/jest';
import { test as playwright } from 'mailcap/playwright';
import * as containers from 'mailcap/testcontainers';
import { test as vitest } from 'mailcap/vitest';
import { setup } from 'mailcap/vitest/global-setup';
const client: Client = createClient({ timeout: 5_000 });
// @ts-expect-error there is no such option
createClient({ baseURL: 'x' });
// @ts-expect-error there is no such plan
export const server: Promise<Mailcap> = createMailcap({ plan: 'gold' });
export const used: unknown[] = [client, cypress, jest, playwright, containers, vitest, setup];
export const isTaken = (error: unknown) => error instanceof MailcapError && error.code === 'subdomain_taken';
`;
const OPTIONS = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node'].concat([
  '--lib',
  'es2022,dom,esnext.disposable',
]);

const ROWS: readonly (readonly [version: string, file: string, settings: string])[] = [
  ...[...OLDER, '6'].flatMap((version) => {
    const old = version === '6' ? ' --ignoreDeprecations 6.0' : '';
    return [[version, 'use.ts', `--module commonjs --moduleResolution node10${old}`] as const];
  }),
  ...[...OLDER, '6', '7', NEWEST].flatMap((version) => [
    [version, 'use.cts', '--module node16'] as const,
    [version, 'use.mts', '--module nodenext'] as const,
    [version, 'use.ts', '--module esnext --moduleResolution bundler'] as const,
  ]),
];

let project: string;
beforeAll(async () => {
  const tarball = await packed();
  project = await onceInRun('compilers', async (path) => {
    await mkdir(join(path, 'node_modules', 'mailcap'), { recursive: true });
    await exec('tar', ['xzf', tarball, '--strip-components', '1', '-C', join(path, 'node_modules', 'mailcap')]);
    for (const name of TYPES) {
      const link = join(path, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), link);
    }
    await writeFile(join(path, 'package.json'), '{ "type": "commonjs" }');
    for (const file of ['use.ts', 'use.cts', 'use.mts']) await writeFile(join(path, file), PROGRAM);
  });
}, 120_000);

/** Returns the path of a compiler, which npm installs if this repository has none of the version. */
async function compiler(version: string): Promise<string> {
  if (version === '6' || version === '7') return join(ROOT, 'node_modules', COMPILERS[version], 'bin', 'tsc');
  const place = await onceInRun(`typescript-${version}`, async (path) => {
    await mkdir(path, { recursive: true });
    await exec('npm', [
      'install',
      '--prefix',
      path,
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      `typescript@${version}`,
    ]);
  });
  return join(place, 'node_modules', 'typescript', 'bin', 'tsc');
}

const isHere = ([version]: (typeof ROWS)[number]) => version === '6' || version === '7';
test.each(byDay(IS_NIGHT ? ROWS : ROWS.filter(isHere), ([version, file]) => version === '7' && file !== 'use.mts'))(
  'TypeScript %s compiles %s with %s against every entry point',
  async (version, file, settings) => {
    // To check the declarations themselves takes much longer, so each version does it once.
    const checks = file === 'use.cts' ? [] : ['--skipLibCheck'];
    const args = [await compiler(version), ...OPTIONS, ...checks, ...settings.split(' '), file];
    const { stdout } = await exec(process.execPath, args, { cwd: project }).catch((error: { stdout: string }) => error);
    // The declarations of other packages are checked too, and some of them ask for a newer compiler.
    expect(stdout.split('\n').filter((line) => /^(?:use\.|node_modules\/mailcap\/)/.test(line))).toEqual([]);
  },
  120_000,
);

test.each(['', '/vitest/global-setup', '/cypress', '/testcontainers'])(
  'require loads mailcap%s as import does',
  async (entry) => {
    const program = `import('mailcap${entry}').then((imported) => {
    const required = require('mailcap${entry}');
    console.log(Object.keys(required).length > 0 && Object.keys(required).every((name) => required[name] === imported[name]));
  })`;
    // The dependencies of the package are those of this repository.
    const env = { ...process.env, NODE_PATH: join(ROOT, 'node_modules'), NODE_NO_WARNINGS: '1' };
    const { stdout } = await exec(process.execPath, ['-e', program], { cwd: ROOT, env });
    expect(stdout).toBe('true\n');
  },
  60_000,
);
