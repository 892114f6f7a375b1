import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { LONG_FILES, LONGEST_AT_NIGHT } from './support/long-files.ts';
import { PARTS, partOf, runsWith, SHARES, shareOf, TWO_SERVERS_BY_DAY } from './support/night-share.ts';
import { toldOf } from './support/skipped-reporter.ts';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const Listed = z.array(z.object({ file: z.string(), projectName: z.string() }));
/** It runs tests of other projects once more, with two servers. */
const AGAIN = 'two-servers';

/** The lists by their mode. Each takes a second to make. */
const lists = new Map<string, Promise<string[]>>();

function listed(mode: string): Promise<string[]> {
  const list = lists.get(mode) ?? filesOf(mode);
  lists.set(mode, list);
  return list;
}

async function filesOf(mode: string): Promise<string[]> {
  const list = ['list', '--filesOnly', '--json', '--mode', mode];
  const { MAILCAP_NIGHT_SHARE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [VITEST, ...list], { cwd: ROOT, env });
  return Listed.parse(JSON.parse(stdout))
    .filter(({ projectName }) => projectName !== AGAIN)
    .map(({ file }) => file.slice(ROOT.length + 1));
}

test('every test file runs at night, once', async () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join('test', path));
  expect((await listed('night')).sort()).toEqual(files.sort());
});

test('each folder has tests that run by day, but that of other runtimes, which npm fetches', async () => {
  const [day, night] = [await listed('test'), await listed('night')];
  const byDay = new Set(day.map((file) => dirname(file)));
  expect(day.filter((file) => !night.includes(file))).toEqual([]);
  expect(night.filter((file) => !byDay.has(dirname(file)))).toEqual(['test/client/runtimes/runtimes.test.ts']);
});

test('ninety-six commits take the whole night, share by share, and twelve of them the whole day', async () => {
  const [day, night] = [await listed('test'), await listed('night')];
  const all = Array.from({ length: SHARES }, (_, at) => at + 1);
  const runs = (share: number, project: string) => (path: string) => runsWith(share, { project, path });
  expect(all.flatMap((share) => night.filter(runs(share, 'in-process'))).sort()).toEqual([...night].sort());
  for (const share of all) {
    const atNight = night.filter(runs(share, 'processes'));
    const byDay = day.filter(runs(share, 'day'));
    expect(byDay.filter((path) => atNight.includes(path))).toEqual([]);
    // Those that are not long run with each commit.
    expect([...byDay, ...atNight, ...LONG_FILES]).toEqual(expect.arrayContaining(day));
    expect(Math.abs(atNight.length - night.length / SHARES), `files of share ${share}`).toBeLessThan(night.length / 18);
  }
  for (const first of all.slice(0, 1 - PARTS)) {
    const some = all.slice(first - 1, first - 1 + PARTS);
    const ran = (path: string) =>
      some.some((share) => ['day', 'processes'].some((project) => runs(share, project)(path)));
    expect(day.filter((path) => !ran(path))).toEqual([]);
    const again = (path: string) => some.some((share) => runs(share, AGAIN)(path));
    expect(TWO_SERVERS_BY_DAY.filter((path) => !again(path))).toEqual([]);
  }
});

test('the parts of a night take every file once, in all its projects, and the long files in equal numbers', async () => {
  const night = await listed('night');
  const files = [...night, ...night].map((path, at) => ({ project: at < night.length ? 'processes' : AGAIN, path }));
  const parts = [1, 2, 3, 4].map((index) => [...new Set(partOf(files, index, 4).map(({ path }) => path))]);
  expect(parts.flat().sort()).toEqual([...night].sort());
  expect([1, 2, 3, 4].flatMap((index) => partOf(files, index, 4))).toHaveLength(files.length);
  const counts = parts.map((paths) => paths.filter((path) => LONG_FILES.includes(path)).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
});

test('each long file is a file of the tests', async () => {
  const night = await listed('night');
  expect(LONG_FILES.filter((path) => !night.includes(path))).toEqual([]);
  expect(LONG_FILES).toEqual([...LONG_FILES].sort());
  expect(LONGEST_AT_NIGHT.filter((path) => !night.includes(path))).toEqual([]);
});

test.each(['97/96', '0/96', '2/5', '2/96/3', 'all'])('%s is no share', (given) => {
  expect(() => shareOf(given)).toThrow('1/96 to 96/96');
});

const CURL = new Map([['curl', 'curl']]);

test.each([
  [new Map(), [], [], false],
  [CURL, [], [], false],
  [CURL, ['it runs at night'], ['1 test was skipped:', '  1 because it runs at night'], false],
  [
    CURL,
    ['it runs at night', lackOf('curl'), 'it runs at night'],
    [
      '3 tests were skipped:',
      '  2 because it runs at night',
      '  1 because curl is not installed here',
      'apt-get install curl',
    ],
    true,
  ],
  [
    new Map([
      ['smtp-sink', 'postfix'],
      ['smtp-source', 'postfix'],
      ['curl', 'curl'],
    ]),
    [lackOf('smtp-sink')],
    ['1 test was skipped:', '  1 because smtp-sink is not installed here', 'apt-get install curl postfix'],
    true,
  ],
  [new Map(), [lackOf('symfony')], ['1 test was skipped:', '  1 because symfony is not installed here'], true],
  [new Map(), ['', ''], ['2 tests were skipped:', '  2 without a reason'], true],
] as const)('without %j, a run that skipped %j ends with %j, and fails in CI: %j', (missing, reasons, lines, fails) => {
  expect(toldOf(missing, reasons)).toEqual({ lines, fails });
});

function lackOf(program: string): string {
  return `${program} is not installed here`;
}

describe('a test that is skipped by unless', () => {
  test('tells its reason, wherever its body stands, with each row, and inside a group', async () => {
    const { status, lines } = await runOf(
      `import { describe, expect, test } from 'vitest';
       import { unless } from '${ROOT}/test/support/unless.ts';
       const fails = () => expect(1).toBe(2);
       unless(test, 'it is one')('body', fails);
       unless(test, 'it is one')('body, timeout', fails, 1_000);
       unless(test, 'it is one')('options, body', { timeout: 1_000 }, fails);
       unless(test, 'it has rows').each([1, 2])('each %i', fails);
       unless(test, 'it has rows').for([1])('for %i', { timeout: 1_000 }, fails);
       unless(test.extend({ a: 1 }), 'it has fixtures')('with %s', ({ a }) => fails(a));
       unless(describe, 'it is a group').each([1])('group %i', () => {
         test('inside', fails);
         describe('deeper', () => test('inside', fails));
       });
       unless(test, null)('runs', ({ skip }) => skip('it said so itself'));
       unless(test, null).each([[1, 1]])('runs, %i', (one, other) => expect(one).toBe(other));`,
    );
    expect(lines).toEqual([
      '10 tests were skipped:',
      '  3 because it has rows',
      '  3 because it is one',
      '  2 because it is a group',
      '  1 because it has fixtures',
      '  1 because it said so itself',
    ]);
    expect(status).toBe(0);
  });

  test('fails the run in CI if another one has no reason, but not if -t left it out', async () => {
    const source = `import { test } from 'vitest'; test.skip('a', () => {}); test('b', () => {});`;
    expect(await runOf(source)).toEqual({
      status: 1,
      lines: ['1 test was skipped:', '  1 without a reason'],
    });
    const passes = `import { test } from 'vitest'; test('a', () => {}); test('b', () => {});`;
    expect(await runOf(passes, '-t', 'b')).toEqual({ status: 0, lines: [] });
  });
});

/** Runs a test file as CI does, and returns its exit code and the lines about skipped tests. */
async function runOf(source: string, ...args: readonly string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-skips-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'a.test.js'), source);
  const reporter = join(ROOT, 'test', 'support', 'skipped-reporter.ts');
  const given = ['run', '--root', directory, '--reporter', reporter, ...args];
  const env = { ...process.env, NEED_ALL_PROGRAMS: '1' };
  const { stdout, status } = await promisify(execFile)(process.execPath, [VITEST, ...given], { env }).then(
    (done) => ({ stdout: done.stdout, status: 0 }),
    (error: { stdout: string; code: number }) => ({ stdout: error.stdout, status: error.code }),
  );
  return { status, lines: stdout.split('\n').filter((line) => line !== '') };
}
