// This module is loaded only where there is a file system. It gets the modules of Node from the process, as
// find-server.ts does.

/**
 * Creates the empty file `<end>-<fingerprint>` of a time step. Returns false if another process created it first.
 * Deletes the files of steps that ended before `forgottenBefore`. Returns true if no file can be written: then the
 * memory of this process is the only record.
 */
export async function takeFile(name: string, forgottenBefore: number): Promise<boolean> {
  const { mkdir, readdir, rm, writeFile } = process.getBuiltinModule('node:fs/promises');
  const { tmpdir } = process.getBuiltinModule('node:os');
  const { join } = process.getBuiltinModule('node:path');
  // Several users may share the temporary directory, and one can't write to the files of another.
  const directory = join(tmpdir(), `mailcap-steps-${process.getuid?.() ?? 'user'}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const old = (await readdir(directory)).filter((other) => Number.parseInt(other, 10) < forgottenBefore);
    await Promise.all(old.map((other) => rm(join(directory, other), { force: true })));
    await writeFile(join(directory, name), '', { flag: 'wx' });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EEXIST');
  }
}
