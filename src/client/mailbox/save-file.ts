import { attachmentFileName, numberedFileName } from '../../text/file-name.ts';
import { OptionError } from '../errors.ts';

const TRIES = 1_000;
const REPLACE_TRIES = 20;

/**
 * Writes bytes into a directory under a safe form of a sender's file name. It never overwrites a file or follows a link:
 * it adds a number until the name is free. Creates missing directories. Returns the path.
 */
export async function saveInto(directory: string, name: string, bytes: Uint8Array): Promise<string> {
  const { mkdir, writeFile, join } = fileSystem();
  const safe = attachmentFileName(name);
  await mkdir(directory, { recursive: true });
  for (let number = 1; number <= TRIES; number++) {
    const path = join(directory, number === 1 ? safe : numberedFileName(safe, number));
    try {
      await writeFile(path, bytes, { flag: 'wx' });
      return path;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new OptionError(`There are already ${TRIES} files with the name ${safe} in ${directory}.`);
}

/** Writes bytes to the file that the caller names, and replaces a file or a link there. Never follows a link to a file. */
export async function saveAs(file: string, bytes: Uint8Array): Promise<void> {
  const { mkdir, stat, rm, writeFile, dirname } = fileSystem();
  await mkdir(dirname(file), { recursive: true });
  const target = await stat(file).catch(() => null);
  // A device or a pipe, such as /dev/stdout, is written to. A directory is an error.
  if (target !== null && !target.isFile()) return writeFile(file, bytes);
  for (let attempt = 1; ; attempt++) {
    await rm(file, { force: true });
    try {
      return await writeFile(file, bytes, { flag: 'wx' });
    } catch (error) {
      // Another call has written the same file since.
      if (!isTaken(error) || attempt === REPLACE_TRIES) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule;
  if (builtin === undefined) throw new OptionError('saveTo needs a file system, and this runtime has none.');
  return { ...builtin('node:fs/promises'), ...builtin('node:path') };
}
