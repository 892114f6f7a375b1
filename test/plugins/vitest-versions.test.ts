import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../support/unless.ts';
import { makeProject, type Project, TSC } from './project.ts';
import { results, VITEST, vitest } from './vitest-project.ts';
import { APP, FAILS, GLOBAL, GREEN, PARTS, REPORTED, TYPES } from './vitest-suites.ts';

const exec = promisify(execFile);
const OURS = 'the one here';
const IN_ANOTHER_FILE = 'vitest.test.ts runs it with our version of Vitest';
/** The first test of a file starts the server. Beside the whole of the night's tests that took over five seconds. */
const PATIENT = ['--testTimeout=120000'];

// The latest of the other major versions in the peer range.
describe.each([OURS, '3.2.7', '5.1.1'])('with Vitest, %s', (version) => {
  let modules: string | null = null;
  let project: Project;

  beforeAll(async () => {
    if (version !== OURS) modules = await installed(version);
    project = await makeProject(modules === null ? {} : { vitest: join(modules, 'node_modules', 'vitest') });
    await project.write('app.js', APP);
  }, 180_000);
  afterAll(async () => {
    await project.remove();
    if (modules !== null) await rm(modules, { recursive: true, force: true });
  });

  unless(test, version === OURS ? IN_ANOTHER_FILE : null)(
    'fixtures and matchers hold',
    async () => {
      await project.write('green.test.js', GREEN);
      const lines = results(await vitest(project, 'green.test.js', {}, PATIENT));
      expect(lines.filter((line) => !line.startsWith('passed'))).toEqual([]);
      expect(lines).toHaveLength(19);
    },
    90_000,
  );

  unless(test, version === OURS ? IN_ANOTHER_FILE : null)(
    'a wait without a result says why, at the line',
    async () => {
      await project.write('fails.test.js', FAILS);
      const lines = results(await vitest(project, 'fails.test.js'));
      expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
        'passed a',
        ...['mail', 'matcher', 'request', 'hook', 'window'].map((title) => `failed ${title}`),
      ]);
      expect(lines.map((line) => /at .*?fails\.test\.js:(\d+)/.exec(line)?.[1])).toEqual([
        undefined,
        '7',
        '10',
        '13',
        '17',
        '22',
      ]);
    },
    90_000,
  );

  unless(test, version === OURS ? IN_ANOTHER_FILE : null)('a strict project compiles', async () => {
    await project.write('types.ts', TYPES);
    const { stdout } = await project.node([...TSC, 'types.ts']).exit;
    expect(stdout).toBe('');
  });

  test('a test and each of its hooks have their own timeouts', async () => {
    await project.write('parts.test.js', PARTS);
    const lines = results(await vitest(project, 'parts.test.js'));
    expect(lines.filter((line) => !line.startsWith('passed'))).toEqual([]);
    expect(lines).toHaveLength(4);
  }, 180_000);

  test('an attempt that fails leaves one report of its own', async () => {
    await project.write('reported.test.js', REPORTED);
    const lines = results(await vitest(project, 'reported.test.js', {}, PATIENT));
    const failures = join(project.directory, '.mailcap', 'failures', 'reported.test.js');
    expect((await readdir(failures)).sort()).toEqual([
      'a-b',
      'a-b-2',
      'repeated-once-repeat-1',
      'tried-again-once',
      'tried-again-once-retry-1',
    ]);
    expect(await readdir(join(failures, 'repeated-once-repeat-1'))).toContain('mailbox-mail-1-Run-2.html');
    const told = lines.flatMap((line) => line.match(/(?<=The received mail and requests are in: ).*/g) ?? []);
    expect(told.filter((line) => line.endsWith('repeated-once-repeat-1'))).toHaveLength(1);
  }, 180_000);

  test('a global setup starts one server, also for two projects', async () => {
    await project.write('global/one.test.js', GLOBAL);
    await project.write('global/two.test.js', GLOBAL);
    await project.write('vitest.config.js', PROJECTS);
    const { code, stdout } = await project.node([VITEST, 'run']).exit;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tests +2 passed/) });
    expect(new Set(stdout.match(/server http:\S+/g)).size).toBe(1);
    expect(await project.servers()).toEqual([]);
  }, 180_000);
});

const PROJECTS = `const globalSetup = 'mailcap/vitest/global-setup';
const projects = ['one', 'two'].map((name) => ({ test: { name, globalSetup, include: ['global/' + name + '.test.js'] } }));
export default { test: { projects } };
`;

/** Installs Vitest with its own dependencies and returns its directory. */
async function installed(version: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-vitest-'));
  await writeFile(join(directory, 'package.json'), '{ "private": true }');
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
  await exec('npm', ['install', `vitest@${version}`, ...quietly], { cwd: directory });
  return directory;
}
