import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROGRAMS } from './support/programs.ts';
import { skippedLine } from './support/skipped-reporter.ts';

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
  const { stdout } = await promisify(execFile)(process.execPath, [VITEST, ...list], { cwd: ROOT });
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

test.each([
  [[], ['', ''], null],
  [['curl'], [], null],
  [['curl'], [''], '1 test was skipped, most for want of curl: apt-get install curl'],
  [
    ['smtp-sink', 'smtp-source', 'curl'],
    ['', 'curl is not installed here'],
    '2 tests were skipped, most for want of smtp-sink, smtp-source, curl: apt-get install curl postfix',
  ],
  [[], ['', 'none of symfony is installed here'], '2 tests were skipped: none of symfony is installed here'],
] as const)('without %j, a run that skipped %j ends with %j', (missing, notes, line) => {
  expect(skippedLine(new Map(missing.map((program) => [program, PROGRAMS[program]])), notes)).toBe(line);
});
