import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './pages.ts';

/** The directory of a run, by the process of vitest that starts the workers. */
const directoryOf = (pid: number) => join(tmpdir(), `mailcap-packed-${pid}`);
const directory = directoryOf(process.ppid);
const tarball = join(directory, 'mailcap.tgz');

/** Returns the path of the package as npm packs it. The first test of a run that asks for it has it packed. */
export async function packed(): Promise<string> {
  const isFirst = await mkdir(directory).then(
    () => true,
    () => false,
  );
  if (isFirst) await pack();
  while (!existsSync(tarball)) {
    if (!existsSync(directory)) throw new Error('npm could not pack the package for another test file');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return tarball;
}

async function pack(): Promise<void> {
  try {
    // The existing build is packed. A new build would delete the files that other tests use.
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
    await rename(join(directory, JSON.parse(stdout)[0].filename), tarball);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Removes what the run packed, when it ends. */
export function setup(): () => Promise<void> {
  return () => rm(directoryOf(process.pid), { recursive: true, force: true });
}
