import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { apply } from '../../../src/cli/init/apply.ts';
import { planOf } from '../../../src/cli/init/init.ts';
import { lookAt } from '../../../src/cli/init/look.ts';
import type { InitStep } from '../../../src/cli/init/project.ts';
import { loadParser } from '../../../src/cli/init/source.ts';
import { PLAYWRIGHT } from '../../plugins/playwright-project.ts';
import { makeProject, type Project, until } from '../../plugins/project.ts';
import { VITEST } from '../../plugins/vitest-project.ts';
import { BIN, type Exit, run, temporaryDirectory } from '../../support/cli.ts';
import { command } from '../../support/command.ts';
import { byDay, IS_NIGHT } from '../../support/night.ts';
import { packed } from '../../support/packed.ts';
import { ON_WINDOWS } from '../../support/platform.ts';
import { unless } from '../../support/unless.ts';

// Runs `mailcap init` in projects, and the tests that it makes. By day one project installs the package with npm; at
// night other package managers and Jest, which npm fetches, do too.

const STRANGER = process.getuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : {};
const NO_WISHES = { runner: null, manager: null, package: 'mailcap', isInstalling: true };
const QUIET = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

await loadParser();

let tarball: string;
beforeAll(async () => {
  tarball = await packed();
}, 120_000);

/** Creates a project with the packages of this repository, and its files. */
async function project(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const made = await makeProject();
  onTestFinished(made.remove);
  await made.write('package.json', `${JSON.stringify({ name: 'elsewhere', private: true, ...manifest }, null, 2)}\n`);
  for (const [path, text] of Object.entries(files)) await made.write(path, text);
  return made;
}

/** Creates a directory with a package.json alone. */
async function bare(manifest: object = {}): Promise<string> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'package.json'), `${JSON.stringify({ name: 'bare', private: true, ...manifest })}\n`);
  return directory;
}

/** Runs it with the package in place, as after an install. */
const added = (cwd: string, ...args: string[]) => command(['init', '--yes', '--skip-install', ...args], { cwd });

/** Runs it in a process of its own, with the package of this build. */
function inProcess(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return run(process.execPath, [BIN, 'init', '--package', tarball, ...args], { cwd, env: { ...QUIET, ...env } });
}

/** Returns the paths and texts of all files, but for those of a package manager. */
function snapshot(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const own = paths.filter(
    (path) => !/^(node_modules|\.git)(\/|$)/.test(path) && statSync(join(directory, path)).isFile(),
  );
  return Object.fromEntries(own.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

describe('the first test passes unchanged', () => {
  const RUNNERS: [string, object, Record<string, string>, string, readonly string[], RegExp][] = [
    [
      'Vitest in TypeScript',
      { type: 'module', devDependencies: { vitest: '^4.1.0' } },
      { 'tsconfig.json': '{}' },
      'test/mailcap.test.ts',
      [VITEST, 'run', '--testTimeout=120000'],
      /1 passed/,
    ],
    [
      'Vitest in ES modules',
      { type: 'module', dependencies: { nodemailer: '^10.0.0' }, devDependencies: { vitest: '^4.1.0' } },
      { 'tests/a.spec.js': "import { test } from 'vitest';\ntest('a', () => {});\n" },
      'tests/mailcap.spec.js',
      [VITEST, 'run', '--testTimeout=120000', '--no-isolate', '--no-file-parallelism'],
      /2 passed/,
    ],
    [
      'Playwright in TypeScript and CommonJS',
      { devDependencies: { '@playwright/test': '^1.60.0', typescript: '6' } },
      {
        'playwright.config.ts':
          "import { defineConfig } from '@playwright/test';\nexport default defineConfig({ testDir: './e2e' });\n",
      },
      'e2e/mailcap.spec.ts',
      [PLAYWRIGHT, 'test'],
      /1 passed/,
    ],
  ];
  // By day one in modules with a test of its own stands for Vitest.
  test.each(byDay(RUNNERS, ([name]) => name !== 'Vitest in TypeScript'))(
    '%s',
    async (_, manifest, files, path, args, passed) => {
      const made = await project(manifest, files);
      expect((await added(made.directory)).stderr).toBe('');
      expect(existsSync(join(made.directory, path))).toBe(true);
      const { code, stdout, stderr } = await made.node(args).exit;
      expect({ code, said: stdout + stderr }).toMatchObject({ code: 0, said: expect.stringMatching(passed) });
    },
    180_000,
  );

  test('node:test, in a project that npm installs the package in; a second run changes nothing', async () => {
    const cwd = await bare({ scripts: { test: 'echo "Error: no test specified" && exit 1' } });
    const { code, stdout, stderr } = await inProcess(cwd, ['--yes']).exit;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('Done. The first test: node --test test/mailcap.test.mjs');
    const { devDependencies, scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
    expect([Object.keys(devDependencies), scripts]).toEqual([['mailcap', 'nodemailer'], { test: 'node --test' }]);
    const outcome = await run('npm', ['test'], { cwd }).exit;
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\n/) });

    const before = snapshot(cwd);
    expect(await command(['init', '--yes'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('There is nothing to change'),
    });
    expect(snapshot(cwd)).toEqual(before);
  }, 180_000);
});

describe('init breaks nothing', () => {
  test('--dry-run changes nothing and prints the plan, as JSON with --json', async () => {
    const cwd = await bare({ devDependencies: { vitest: '^4.1.0' } });
    const before = snapshot(cwd);
    const { code, stdout } = await command(['init', '--dry-run', '--json'], { cwd });
    expect([code, snapshot(cwd)]).toEqual([0, before]);
    expect(JSON.parse(stdout)).toMatchObject({
      applied: false,
      project: { manager: 'npm', runners: ['vitest'], typescript: false, module: 'commonjs' },
      steps: [
        {
          do: 'install',
          command: ['npm', 'install', '--save-dev', expect.stringMatching(/^mailcap@\^/), 'nodemailer'],
        },
        { do: 'create', path: 'vitest.config.mjs' },
        { do: 'create', path: 'test/mailcap.test.js' },
      ],
      runs: ['npx vitest run test/mailcap.test.js'],
    });
  });

  test('without a terminal it does nothing unless --yes is given', async () => {
    const cwd = await bare();
    const before = snapshot(cwd);
    const { code, stderr } = await command(['init'], { cwd });
    expect([code, snapshot(cwd)]).toEqual([2, before]);
    expect(stderr).toContain('add --yes');
  });

  test('an existing test of the same name stays, and the new one gets another name', async () => {
    const theirs = "import { test } from 'vitest';\ntest('theirs', () => {});\n";
    const made = await project(
      { type: 'module', devDependencies: { vitest: '^4.1.0' } },
      { 'test/mailcap.test.js': theirs },
    );
    await added(made.directory);
    expect(await made.read('test/mailcap.test.js')).toBe(theirs);
    expect(await made.read('test/mailcap-first.test.js')).toContain('mailcap/vitest');
  });

  test('files with changes that git does not have are named', async () => {
    const cwd = await bare();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { cwd });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    expect((await added(cwd, '--dry-run')).stderr).toBe('');
    await writeFile(join(cwd, 'package.json'), '{ "name": "changed" }');
    expect((await added(cwd)).stderr).toBe('mailcap: package.json has uncommitted changes, and init changes it too.\n');
  });

  test.each<[string, Record<string, string>, string]>([
    ['no package.json', {}, 'Create one with `npm init --yes`'],
    ['a project in Go', { 'go.mod': 'module x' }, 'For a project in Go, `mailcap dev` is enough'],
    ['a broken package.json', { 'package.json': '{ "name": ' }, 'package.json is not a JSON object'],
    ['a list for a package.json', { 'package.json': '[]' }, 'package.json is not a JSON object'],
  ])('%s is reported, and nothing is written', async (_, files, reason) => {
    const cwd = await temporaryDirectory();
    for (const [path, text] of Object.entries(files)) await writeFile(join(cwd, path), text);
    expect(await added(cwd)).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    expect(snapshot(cwd)).toEqual(files);
  });

  test.each(['test', '.github'])(
    'a file in the place of the directory %s is reported before anything is done',
    async (name) => {
      const cwd = await bare();
      execFileSync('git', ['init', '-q', '.'], { cwd });
      execFileSync('git', ['remote', 'add', 'origin', 'git@github.com:a/b.git'], { cwd });
      await writeFile(join(cwd, name), 'theirs\n');
      const before = snapshot(cwd);
      const { code, stderr } = await added(cwd);
      expect([code, snapshot(cwd)]).toEqual([1, before]);
      expect(stderr).toBe(`mailcap: ${join(cwd, name)} is a file where a directory is needed. Nothing was changed.\n`);
    },
  );

  unless(test, ON_WINDOWS)('a pipe in place of a configuration is not read', async () => {
    const cwd = await bare({ devDependencies: { vitest: '^4.1.0' } });
    execFileSync('mkfifo', [join(cwd, 'vitest.config.ts')]);
    expect(await run(process.execPath, [BIN, 'init', '--dry-run'], { cwd }).exit).toMatchObject({ code: 0 });
  });

  test('names of files control no terminal', async () => {
    const cwd = await bare({ devDependencies: { vitest: '^4.1.0' } });
    await mkdir(join(cwd, 'a\u001b[31m'));
    await writeFile(join(cwd, 'a\u001b[31m', 'a.test.ts'), '');
    const { code, stdout } = await added(cwd);
    expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
    expect(stdout).toContain('create  a\u241b[31m/mailcap.test.ts');
  });

  unless(test, ON_WINDOWS)('a read-only directory is reported before anything is done', async () => {
    const cwd = await bare();
    await chmod(cwd, 0o555);
    const { code, stderr } = await run(process.execPath, [BIN, 'init', '--yes'], { cwd, ...STRANGER }).exit;
    await chmod(cwd, 0o755);
    expect([code, Object.keys(snapshot(cwd))]).toEqual([1, ['package.json']]);
    expect(stderr).toContain("can't be written by this user. Nothing was changed.");
  });

  test('a package that is no package name is no argument of the package manager', async () => {
    const cwd = await bare();
    for (const name of ['--global', 'a; touch x', '$(x)'])
      expect(await command(['init', '--yes', `--package=${name}`], { cwd })).toMatchObject({ code: 2 });
  });
});

unless(describe, ON_WINDOWS)('an install that fails leaves everything as it was', () => {
  /** Puts a package manager first on the path: it changes package.json and writes a lock file, then does `then`. */
  async function withManager(
    then: string,
  ): Promise<{ cwd: string; before: Record<string, string>; env: { PATH: string } }> {
    const bin = await temporaryDirectory();
    const script = `#!/bin/sh\necho '{ "half": true }' > package.json\necho half > package-lock.json\n${then}\n`;
    await writeFile(join(bin, 'npm'), script, { mode: 0o755 });
    const cwd = await bare();
    return { cwd, before: snapshot(cwd), env: { PATH: `${bin}${delimiter}${process.env['PATH']}` } };
  }

  test('by an exit code', async () => {
    const { cwd, before, env } = await withManager('exit 7');
    const { code, stderr } = await inProcess(cwd, ['--yes'], env).exit;
    expect([code, snapshot(cwd)]).toEqual([1, before]);
    expect(stderr).toContain('failed with exit code 7. All other changes were undone.');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('by %s', async (signal) => {
    const { cwd, before, env } = await withManager('exec sleep 60');
    const { child, exit } = inProcess(cwd, ['--yes'], env);
    await until(() => existsSync(join(cwd, 'package-lock.json')), 'the package manager writes');
    child.kill(signal);
    expect(await exit).toMatchObject({ code: 130, stderr: expect.stringContaining('All changes were undone') });
    expect(snapshot(cwd)).toEqual(before);
  });

  test('by a signal that comes as soon as the package manager runs', async () => {
    const { cwd, before, env } = await withManager('kill -TERM $PPID; exec sleep 60');
    const ended = await inProcess(cwd, ['--yes'], env).exit;
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('All changes were undone') });
    expect(snapshot(cwd)).toEqual(before);
  });

  test('by a package manager that is not installed', async () => {
    const cwd = await bare({ packageManager: 'bun@1.2.0' });
    const before = snapshot(cwd);
    const { code, stderr } = await inProcess(cwd, ['--yes'], { PATH: await temporaryDirectory() }).exit;
    expect([code, snapshot(cwd)]).toEqual([1, before]);
    expect(stderr).toContain('bun is not installed here, and this project uses it. Nothing was changed.');
  });

  test('a foreign file in a new directory stays, and all else is undone', async () => {
    const cwd = await bare();
    const before = snapshot(cwd);
    const why = '';
    const steps: readonly InitStep[] = [
      { do: 'edit', path: 'package.json', why, change: () => '{}' },
      { do: 'create', path: 'made/ours', text: '', why },
      {
        do: 'edit',
        path: 'package.json',
        why,
        change: () => {
          writeFileSync(join(cwd, 'made', 'theirs'), 'theirs');
          throw new Error('no further');
        },
      },
    ];
    const project = lookAt(cwd, undefined);
    await expect(apply(project, { ...planOf(project, NO_WISHES), steps })).rejects.toThrow('no further');
    expect(snapshot(cwd)).toEqual({ ...before, 'made/theirs': 'theirs' });
  });

  test('when a file appears in the place of the last one', async () => {
    const { cwd, before, env } = await withManager('mkdir -p test && echo theirs > test/mailcap.test.mjs');
    const { code, stderr } = await inProcess(cwd, ['--yes'], env).exit;
    expect([code, snapshot(cwd)]).toEqual([1, { ...before, 'test/mailcap.test.mjs': 'theirs\n' }]);
    expect(stderr).toContain('was created meanwhile');
  });
});

test('in a monorepo the root names its packages, and a package uses the lock file above it', async () => {
  const root = await bare({ workspaces: ['packages/*'] });
  await writeFile(join(root, 'pnpm-lock.yaml'), '');
  await mkdir(join(root, 'packages', 'api'), { recursive: true });
  const api = join(root, 'packages', 'api');
  await writeFile(join(api, 'package.json'), '{ "name": "api", "devDependencies": { "vitest": "^4.1.0" } }');
  expect(await added(root)).toMatchObject({ code: 1, stderr: expect.stringContaining('packages/api (Vitest)') });
  await mkdir(join(root, 'packages', 'jobs'));
  await writeFile(
    join(root, 'packages', 'jobs', 'package.json'),
    '{ "name": "jobs", "scripts": { "test": "node --test" } }',
  );
  expect((await added(root)).stderr).toContain('packages/api (Vitest), packages/jobs (node:test).');
  const { stdout } = await command(['init', '--dry-run', '--json'], { cwd: api });
  expect(JSON.parse(stdout)).toMatchObject({
    project: { manager: 'pnpm' },
    steps: [
      { command: ['pnpm', 'add', '--save-dev', expect.any(String), 'nodemailer'] },
      { path: 'vitest.config.mjs' },
      {},
    ],
  });
});

if (IS_NIGHT) {
  test('Jest in CommonJS', async () => {
    const cwd = await bare({ scripts: { test: 'jest' }, devDependencies: { jest: '^30.0.0' } });
    await writeFile(join(cwd, 'jest.config.js'), 'module.exports = {\n  verbose: true,\n};\n');
    expect((await run('npm', ['install'], { cwd, env: QUIET }).exit).code).toBe(0);
    expect((await inProcess(cwd, ['--yes']).exit).code).toBe(0);
    expect(await run('npm', ['test'], { cwd }).exit).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Tests: +1 passed/),
    });
    const before = snapshot(cwd);
    expect((await inProcess(cwd, ['--yes']).exit).stdout).toContain('There is nothing to change');
    expect(snapshot(cwd)).toEqual(before);
  }, 300_000);

  test.each([
    ['pnpm', 'pnpm@9', 'pnpm-lock.yaml', ''],
    ['yarn', 'yarn@1', 'yarn.lock', '# yarn lockfile v1\n'],
    ['bun', 'bun@1', 'bun.lock', '{ "lockfileVersion": 1, "workspaces": { "": { "name": "bare" } }, "packages": {} }'],
  ])(
    '%s installs the package, and the first test passes',
    async (manager, spec, lock, text) => {
      const tools = await temporaryDirectory();
      const install: Exit = await run('npm', ['install', '--prefix', tools, spec], { cwd: tools, env: QUIET }).exit;
      expect(install.code).toBe(0);
      const cwd = await bare();
      await writeFile(join(cwd, lock), text);
      const env = { PATH: `${join(tools, 'node_modules', '.bin')}${delimiter}${process.env['PATH']}` };
      const { code, stdout, stderr } = await inProcess(cwd, ['--yes', '--json'], env).exit;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ applied: true, project: { manager } });
      expect((await run(process.execPath, ['--test'], { cwd }).exit).code).toBe(0);
    },
    300_000,
  );
}
