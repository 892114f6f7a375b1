import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onceInRun } from './once-in-run.ts';
import { ROOT } from './pages.ts';

/** Returns the path of the package as npm packs it. */
export function packed(): Promise<string> {
  return onceInRun('mailcap.tgz', async (path) => {
    const directory = await mkdtemp(join(dirname(path), 'pack-'));
    // The existing build is packed. A new build would delete the files that other tests use.
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
    await rename(join(directory, JSON.parse(stdout)[0].filename), path);
    await rm(directory, { recursive: true });
  });
}
