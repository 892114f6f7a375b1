import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable with the directory of a run of Vitest, which all its workers share. */
const DIRECTORY = 'MAILCAP_TEST_RUN';

/**
 * Makes a file or a directory once in a run, for the test files of all workers, and returns its path. The first that
 * asks for it has it made; the others wait. Throws if the project lacks the global set-up of this module.
 *
 * @param make writes to the path it is given
 */
export async function onceInRun(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const directory = process.env[DIRECTORY];
  if (directory === undefined) throw new Error(`${DIRECTORY} is not set: the project lacks its global set-up`);
  const [path, begun] = [join(directory, name), join(directory, `${name}.begun`)];
  const isFirst = await mkdir(begun).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    try {
      await make(`${path}.part`);
      await rename(`${path}.part`, path);
    } catch (error) {
      await rm(begun, { recursive: true, force: true });
      throw error;
    }
  }
  while (!existsSync(path)) {
    if (!existsSync(begun)) throw new Error(`${name} could not be made for another test file`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return path;
}

/** Tells whether there is a run whose workers share what is made once. */
export function isInRun(): boolean {
  return process.env[DIRECTORY] !== undefined;
}

/** Makes the directory of a run, and removes it when the run ends. */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-run-'));
  // PostgreSQL, which root starts as another user, reads what is made for it.
  await chmod(directory, 0o711);
  process.env[DIRECTORY] = directory;
  return () => rm(directory, { recursive: true, force: true });
}
