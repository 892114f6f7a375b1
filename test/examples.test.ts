import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeProject } from './plugins/project.ts';
import { freePort } from './support/free-port.ts';
import { IS_NIGHT } from './support/night.ts';
import { blockOf as blockOfPage, ROOT } from './support/pages.ts';
import { CHROMIUM, has, lacking } from './support/programs.ts';
import { unless } from './support/unless.ts';

// At night npm installs the package and what the examples need, as users do. By day the examples that need no more than
// this repository has run with copies of the build.

const exec = promisify(execFile);

let directory: string;
let tarball: string;

beforeAll(async () => {
  if (!IS_NIGHT) return;
  directory = await mkdtemp(join(tmpdir(), 'mailcap-examples-'));
  // The existing build is packed. A new build would delete the files that other tests use.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await exec('npm', pack, { cwd: ROOT });
  tarball = join(directory, JSON.parse(stdout)[0].filename);
}, 180_000);
afterAll(async () => {
  if (IS_NIGHT) await rm(directory, { recursive: true, force: true });
}, 60_000);

/** Copies and installs an example, as a user would. */
async function installed(name: string): Promise<string> {
  const project = join(directory, name);
  await cp(join(ROOT, 'examples', name), project, { recursive: true });
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
  await exec('npm', ['install', '--save-dev', tarball, ...quietly], { cwd: project });
  return project;
}

/** Copies an example into a project that has the packages of this repository. */
async function linked(name: string): Promise<string> {
  const { directory: project, remove } = await makeProject();
  onTestFinished(remove);
  await symlink(join(ROOT, 'node_modules', '.bin'), join(project, 'node_modules', '.bin'));
  await cp(join(ROOT, 'examples', name), project, { recursive: true });
  return project;
}

async function runExample(name: string, options: readonly string[] = []): Promise<string> {
  return runIn(await projectOf(name), options);
}

function projectOf(name: string): Promise<string> {
  return IS_NIGHT ? installed(name) : linked(name);
}

/** Runs the tests of an example, and returns what they print. */
async function runIn(project: string, options: readonly string[] = []): Promise<string> {
  const browser = has('chromium') ? { CHROMIUM } : {};
  const env = { ...cleanEnvironment(), ...browser, PORT: String(await freePort()) };
  const running = IS_NIGHT
    ? exec('npm', ['test', '--', ...options], { cwd: project, env })
    : testsOf(project, options, env);
  const { stdout, stderr } = await running.catch((error: Error) => ({
    stdout: 'stdout' in error ? error.stdout : '',
    stderr: error.message,
  }));
  return `${stdout}\n${stderr}`;
}

/** Runs the script of the example's tests without npm, which takes half a second to find it. */
async function testsOf(project: string, options: readonly string[], env: NodeJS.ProcessEnv) {
  const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const path = `${join(project, 'node_modules', '.bin')}${delimiter}${env['PATH']}`;
  return exec('sh', ['-c', `${scripts.test} "$@"`, 'sh', ...options], { cwd: project, env: { ...env, PATH: path } });
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([key]) => !/^(MAILCAP_|VITEST|NODE_ENV|NODE_TEST)/.test(key));
  return { ...Object.fromEntries(clean), NO_COLOR: '1' };
}

function blockOf(mark: string, page = 'docs/client.md'): string {
  return blockOfPage(page, mark);
}

test('Vitest: webhooks with retries', async () => {
  expect(await runExample('vitest-webhooks', ['--testTimeout=120000'])).toMatch(/Tests {2}4 passed \(4\)/);
}, 180_000);

test('node:test, with the client alone', async () => {
  const output = await runExample('node-test');
  expect(output).toMatch(/pass 2\n/);
  expect(output).toMatch(/fail 0\n/);
}, 180_000);

unless(test, lacking('chromium'))(
  'Playwright: sign-up with a code, reset by a link, second factor, how a mail looks',
  async () => {
    const project = await projectOf('playwright-sign-up');
    expect(await runIn(project)).toMatch(/3 passed/);
    // The screenshots that the first run took are those that the second compares with.
    if (IS_NIGHT) expect(await runIn(project, ['looks', '--update-snapshots=none'])).toMatch(/1 passed/);
  },
  180_000,
);

if (IS_NIGHT) {
  test('Vitest: the accounts of better-auth', async () => {
    expect(await runExample('better-auth', ['--testTimeout=120000'])).toMatch(/Tests {2}6 passed \(6\)/);
  }, 180_000);

  test('Playwright: the accounts of FlowFuse, which mails to a host and a port', async () => {
    const passed = has('chromium') ? /8 passed/ : /7 passed/;
    expect(await runExample('flowfuse', ['--workers=2'])).toMatch(passed);
  }, 600_000);

  test('Jest, with the client alone', async () => {
    expect(await runExample('jest')).toMatch(/Tests: +3 passed, 3 total/);
    const project = join(directory, 'jest');
    await writeFile(join(project, 'start-mailcap.js'), blockOf('jestsetup'));
    await writeFile(join(project, 'login.test.js'), blockOf('jest'));
    // The same program as an ES module, which imports the client by another export condition.
    const toImport = (text: string) => text.replace(/const (\S+|\{.*\}) = require\((.*)\);/g, 'import $1 from $2;');
    await writeFile(join(project, 'login.test.mjs'), toImport(blockOf('jest')));
    const jest = ['jest', '--testMatch', '**/*.test.{js,mjs}'];
    const env = { ...cleanEnvironment(), NODE_OPTIONS: '--experimental-vm-modules' };
    const { stderr } = await exec('npx', jest, { cwd: project, env });
    expect(stderr).toMatch(/Tests: +2 passed, 2 total/);

    await writeFile(join(project, 'login.test.js'), blockOf('jestmatchers', 'docs/other-runners.md'));
    const matchers = ['jest', '--testMatch', '**/login.test.js', '--setupFilesAfterEnv', 'mailcap/jest'];
    expect((await exec('npx', matchers, { cwd: project, env: cleanEnvironment() })).stderr).toMatch(
      /1 passed, 1 total/,
    );
  }, 180_000);
}
