import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../support/pages.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-flakes-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function countFlakes(attempts: number) {
  const clean = Object.entries(process.env).filter(([name]) => !/^(MAILCAP_|VITEST|NODE_ENV)/.test(name));
  const kept = join(directory, 'flakes.json');
  const run = ['--only=mailcap', `--attempts=${attempts}`, '--batch=6', '--workers=2', '--burners=0'];
  return spawnSync(process.execPath, ['bench/flakes/run.js', ...run, `--continue=${kept}`], {
    cwd: ROOT,
    env: Object.fromEntries(clean),
    encoding: 'utf8',
  });
}

test('counting flakes runs the given number of attempts, reports the failures, and continues an earlier count', () => {
  const first = countFlakes(8);
  expect(first.stderr).not.toMatch(/[1-9]\d* failed/);
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/\| mailcap \| 8 \| 0 \| 0\.000 % \|/) });
  const second = countFlakes(10);
  expect(second).toMatchObject({ status: 0, stdout: expect.stringMatching(/\| mailcap \| 10 \| 0 \| 0\.000 % \|/) });
  const { batches } = JSON.parse(readFileSync(join(directory, 'flakes.json'), 'utf8'));
  expect(batches.map(({ ms }: { ms: number[] }) => ms.length)).toEqual([6, 2, 2]);
}, 180_000);
