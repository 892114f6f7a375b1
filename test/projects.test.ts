import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const Listed = z.array(z.object({ file: z.string(), projectName: z.string() }));
/** It runs tests of other projects once more, with two servers. */
const AGAIN = 'two-servers';

async function listed(mode: string): Promise<string[]> {
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

test('by day all run but those that fetch other versions and runtimes', async () => {
  const day = new Set(await listed('test'));
  expect((await listed('night')).filter((file) => !day.has(file)).sort()).toEqual([
    'test/client/runtimes/runtimes.test.ts',
    'test/contract/generated-clients.test.ts',
    'test/plugins/playwright-ui.test.ts',
    'test/plugins/vitest-versions.test.ts',
  ]);
});
